/**
 * The queue's schema, and the class that creates and upgrades it in a database.
 *
 * <p>The SQL files are under {@code db/skipjack} in this jar, for teams that run them with their
 * own tools. {@link dev.skipjack.migrations.Migrations} runs them with Flyway. The schema and the
 * history table are separate from those of the application. A released file never changes.
 */
@NullMarked
package dev.skipjack.migrations;

import org.jspecify.annotations.NullMarked;
