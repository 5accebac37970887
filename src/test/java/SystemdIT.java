import static org.junit.jupiter.api.Assertions.*;
import org.junit.jupiter.api.*;
class SystemdIT {
    static Box box;
    @BeforeAll static void boot() throws Exception { long t=System.nanoTime(); box = Box.installed(); System.out.println("boot "+(System.nanoTime()-t)/1000000+" ms"); }
    @AfterAll static void halt() throws Exception { if (box != null) box.close(); }
    @Test void look() throws Exception {
        System.out.println(box.run("systemctl status avatar nginx --no-pager; grep -E 'open files|Max proc' /proc/$(systemctl show -P MainPID avatar)/limits; journalctl -u avatar --no-pager; id").output());
        System.out.println(box.curl("https://avatar.spacefox.fr/x"));
        Thread.sleep(Integer.getInteger("hold", 0) * 1000L);
    }
}
