package fr.spacefox.avatar.site;

import java.util.EnumMap;
import java.util.Map;

/** One box of each Debian for all tests of a class. They take turns in it, and the two Debians work side by side. */
final class Boxes implements AutoCloseable {

    interface Use {
        void in(Box box) throws Exception;
    }

    private final Map<Debian, Box> boxes = new EnumMap<>(Debian.class);
    private final Use first;

    /** Each box is booted for its first test, and then prepared. */
    Boxes(Use first) {
        this.first = first;
    }

    void use(Debian debian, Use test) throws Exception {
        String files = debian.files();
        synchronized (debian) {
            Box box = box(debian);
            if (box == null) {
                box = new Box(files);
                put(debian, box);
                first.in(box);
            }
            test.in(box);
        }
    }

    private synchronized Box box(Debian debian) {
        return boxes.get(debian);
    }

    private synchronized void put(Debian debian, Box box) {
        boxes.put(debian, box);
    }

    @Override
    public synchronized void close() throws Exception {
        for (Box box : boxes.values()) box.close();
    }
}
