with Ada.Command_Line; use Ada.Command_Line;
with Ada.Numerics.Float_Random; use Ada.Numerics.Float_Random;
with AWS.Config.Set;
with AWS.Response;
with AWS.Server;
with AWS.Status;

procedure Avatar is
   Count : constant Positive := Positive'Value (Argument (2));

   protected Dice is
      procedure Roll (Number : out Positive);
   private
      State : Generator;
   end Dice;

   protected body Dice is
      procedure Roll (Number : out Positive) is
      begin
         Number := 1 + Natural (Float'Floor (Random (State) * Float (Count))) mod Count;
      end Roll;
   end Dice;

   function Redirect (Request : AWS.Status.Data) return AWS.Response.Data is
      Number : Positive;
   begin
      Dice.Roll (Number);
      return AWS.Response.URL
        (Location      => "https://avatar.spacefox.fr/Renard-" & Number'Image (2 .. Number'Image'Last) & ".png",
         Cache_Control => "private, no-store");
   end Redirect;

   Settings : AWS.Config.Object := AWS.Config.Get_Current;
   Server   : AWS.Server.HTTP;
begin
   AWS.Config.Set.Server_Port (Settings, Natural'Value (Argument (1)));
   AWS.Config.Set.Reuse_Address (Settings, True);
   AWS.Config.Set.Max_Connection (Settings, 64); --  with its default of 5, ten clients lose theirs
   AWS.Server.Start (Server, Redirect'Unrestricted_Access, Settings);
   AWS.Server.Wait;
end Avatar;
