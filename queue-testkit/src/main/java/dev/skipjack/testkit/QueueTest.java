package dev.skipjack.testkit;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Gives a test class a {@link QueueDatabase} of its own, shared with its nested classes.
 *
 * <p>Constructors, test methods and life-cycle methods get it by declaring a parameter of that
 * type. Its tables are empty at the start of each test method, so what {@code @BeforeAll} writes
 * into them is gone by then. After the class the database is dropped, and the class fails if
 * connections were not given back. Test methods of one class must not run in parallel with each
 * other; classes may.
 */
@Documented
@Inherited
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@ExtendWith(QueueTestExtension.class)
public @interface QueueTest {}
