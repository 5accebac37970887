with Ada.Numerics.Float_Random; use Ada.Numerics.Float_Random;

package body Redirect is

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

   function To_A_Fox (Request : AWS.Status.Data) return AWS.Response.Data is
      Number : Positive;
   begin
      Dice.Roll (Number);
      return AWS.Response.URL
        (Location      => "https://avatar.spacefox.fr/Renard-" & Number'Image (2 .. Number'Image'Last) & ".png",
         Cache_Control => "private, no-store");
   end To_A_Fox;

end Redirect;
