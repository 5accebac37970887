package fr.spacefox.avatar.support;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;

/**
 * A test, or a class of tests, that `mvn verify` leaves out and `.ci/run long` runs, with an hour in place of five
 * minutes. Of each kind, say a power cut after each step, one case also stands as an ordinary test.
 */
@Target({ElementType.TYPE, ElementType.METHOD})
@Retention(RetentionPolicy.RUNTIME)
@Tag("long")
@Timeout(value = 1, unit = TimeUnit.HOURS)
public @interface TakesMinutes {}
