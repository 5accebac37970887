package fr.spacefox.avatar.site;

import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

/** One box of each Debian for all tests of a class. They take turns in it, and the Debians work side by side. */
final class Boxes implements AutoCloseable {

    /** A test whose only parameter is the Debian. */
    @Retention(RetentionPolicy.RUNTIME)
    @ParameterizedTest
    @FieldSource("fr.spacefox.avatar.site.Debian#ALL")
    @Execution(ExecutionMode.CONCURRENT)
    @interface OnBothDebians {}

    interface Use {
        void in(Box box) throws Exception;
    }

    private final Map<Debian, Box> boxes = new ConcurrentHashMap<>();
    private final Use first;

    /** Each box is booted for its first test, and then prepared. */
    Boxes(Use first) {
        this.first = first;
    }

    void use(Debian debian, Use test) throws Exception {
        String files = debian.files();
        synchronized (debian) {
            if (!boxes.containsKey(debian)) {
                boxes.put(debian, new Box(files));
                first.in(boxes.get(debian));
            }
            test.in(boxes.get(debian));
        }
    }

    @Override
    public void close() throws Exception {
        for (Box box : boxes.values()) box.close();
    }
}
