with Ada.Command_Line;
with AWS.Config.Set;
with AWS.Server;
with Redirect;

procedure Avatar is
   use Ada.Command_Line;

   Settings : AWS.Config.Object := AWS.Config.Get_Current;
   Server   : AWS.Server.HTTP;
begin
   Redirect.Count := Positive'Value (Argument (2));
   AWS.Config.Set.Server_Port (Settings, Natural'Value (Argument (1)));
   AWS.Config.Set.Reuse_Address (Settings, True);
   AWS.Config.Set.Max_Connection (Settings, 64); --  with its default of 5, ten clients lose theirs
   AWS.Server.Start (Server, Redirect.To_A_Fox'Access, Settings);
   AWS.Server.Wait;
end Avatar;
