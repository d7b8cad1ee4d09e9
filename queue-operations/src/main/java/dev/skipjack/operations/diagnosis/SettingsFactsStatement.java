package dev.skipjack.operations.diagnosis;

import static dev.skipjack.operations.diagnosis.Catalog.setting;
import static org.jooq.impl.DSL.select;

import dev.skipjack.sql.NoRequest;
import dev.skipjack.sql.Statement;
import org.jooq.DSLContext;
import org.jooq.Field;

/**
 * Reads the settings that protect committed jobs: {@code SELECT current_setting('fsync'),
 * current_setting('full_page_writes'), current_setting('synchronous_commit')}. Locks nothing.
 */
final class SettingsFactsStatement {

  private static final Field<String> FSYNC = setting("fsync").as("fsync");
  private static final Field<String> FULL_PAGE_WRITES =
      setting("full_page_writes").as("full_page_writes");
  private static final Field<String> SYNCHRONOUS_COMMIT =
      setting("synchronous_commit").as("synchronous_commit");

  private SettingsFactsStatement() {}

  /** The values of the settings. */
  record Facts(String fsync, String fullPageWrites, String synchronousCommit) {}

  static Statement<NoRequest, Facts> of(DSLContext dialect) {
    return Statement.of(
        dialect,
        select(FSYNC, FULL_PAGE_WRITES, SYNCHRONOUS_COMMIT),
        row ->
            new Facts(row.text(FSYNC), row.text(FULL_PAGE_WRITES), row.text(SYNCHRONOUS_COMMIT)));
  }
}
