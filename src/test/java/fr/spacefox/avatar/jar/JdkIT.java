package fr.spacefox.avatar.jar;

import static org.junit.jupiter.api.Assertions.*;

import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** README names the Javas that limit what a client may send, and tests use no other. */
class JdkIT {

    /** The limit of a head's size came with JDK-8328286 to the versions on the left; those on the right lack it. */
    @ParameterizedTest
    @CsvSource({
        "17.0.13 17.0.21.1 21.0.5 23.0.1 23.0.2 24 24.0.1 25.0.3, true",
        "1.8.0_432 11.0.25 17 17.0.5 17.0.12 18.0.2.1 19.0.2 20.0.2 21 21.0.4 22.0.2 23, false",
    })
    void readmeNamesThoseWithAllLimits(String versions, boolean areNamed) throws Exception {
        for (String version : List.of(versions.split(" "))) assertEquals(areNamed, Jdk.isNamed(version), version);
    }
}
