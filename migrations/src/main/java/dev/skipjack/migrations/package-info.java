/**
 * The schema of the queue and how it gets into a database.
 *
 * <p>The SQL lies under {@code db/skipjack} in this jar, for teams that run it with tools of their
 * own. {@link dev.skipjack.migrations.Migrations} runs it with Flyway, in a schema and with a
 * history table that stay out of the host application's way. A released file never changes.
 */
@NullMarked
package dev.skipjack.migrations;

import org.jspecify.annotations.NullMarked;
