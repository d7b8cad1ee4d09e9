package dev.skipjack.migrations;

/**
 * A migration that has not run yet.
 *
 * @param version its number, which {@code schema_version()} returns once it has run
 * @param file the name of its file
 * @param sql its statements, in the order in which they run
 */
public record PendingMigration(int version, String file, String sql) {}
