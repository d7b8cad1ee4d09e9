/**
 * Configures a queue and its worker in a Spring Boot application.
 *
 * <p>With this starter and a {@code DataSource}, an application has a {@link
 * dev.skipjack.store.jooq.JobQueue} whose tables are created at start, and {@link
 * dev.skipjack.spring.Jobs}, which enqueues in the transaction of the calling method. Beans with
 * {@link dev.skipjack.handlers.JobHandler} methods become the handlers of a worker, which starts
 * and stops with the application. {@link dev.skipjack.spring.SkipjackProperties} has the settings.
 * If the application defines a {@code JobQueue} or {@code Jobs} bean, the starter defines none of
 * that type.
 *
 * <p>The starter is compiled against Spring Boot 3.5 and also works with 4. Classes that version 4
 * has moved to other packages are referred to by name, or only by configurations that are active
 * with one of the versions.
 */
@NullMarked
package dev.skipjack.spring;

import org.jspecify.annotations.NullMarked;
