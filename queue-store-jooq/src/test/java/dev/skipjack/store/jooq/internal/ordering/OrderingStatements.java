package dev.skipjack.store.jooq.internal.ordering;

import dev.skipjack.api.spi.WakeUp;
import dev.skipjack.sql.Statement;
import dev.skipjack.sql.StatementDialect;
import dev.skipjack.sql.StatementText;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jooq.DSLContext;

/** The statements of this package, for tests about all statements of the store. */
public final class OrderingStatements {

  private OrderingStatements() {}

  /** Returns the statement that promotes jobs, for tests that run it concurrently with others. */
  public static Statement<List<String>, Optional<WakeUp>> promote(String schema) {
    return PromoteStatement.of(StatementDialect.forSchema(schema));
  }

  /** Returns the statements' texts in {@code schema}, by the names of their golden files. */
  public static Map<String, StatementText> texts(String schema) {
    DSLContext dialect = StatementDialect.forSchema(schema);
    return new TreeMap<>(
        Map.of(
            "promote", PromoteStatement.of(dialect).text(),
            "find-headless-keys", FindHeadlessKeysStatement.of(dialect).text(),
            "find-dead-heads", FindDeadHeadsStatement.next(dialect).text(),
            "find-given-dead-heads", FindDeadHeadsStatement.given(dialect).text(),
            "release", ReleaseStatement.byKey(dialect).text(),
            "release-heads", ReleaseStatement.byHead(dialect).text(),
            "park", ParkStatement.of(dialect).text(),
            "skip-head", SkipHeadStatement.of(dialect).text(),
            "lock-stripes", LockStripesStatement.of(dialect).text()));
  }
}
