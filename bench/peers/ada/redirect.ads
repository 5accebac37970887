with AWS.Response;
with AWS.Status;

package Redirect is

   Count : Positive;

   function To_A_Fox (Request : AWS.Status.Data) return AWS.Response.Data;

end Redirect;
