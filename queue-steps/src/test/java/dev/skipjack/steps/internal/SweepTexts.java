package dev.skipjack.steps.internal;

import dev.skipjack.sql.StatementText;
import java.util.Map;
import org.jooq.DSLContext;

/** The texts of the statements of the sweep, for tests in other packages. */
public final class SweepTexts {

  private SweepTexts() {}

  /** Returns the texts by the names of their golden files. */
  public static Map<String, StatementText> all(DSLContext dialect) {
    return Map.of(
        "wake-all", WakeWaitingStatement.ofAll(dialect).text(),
        "wake-one", WakeWaitingStatement.ofOne(dialect).text(),
        "find-ended-memos", FindEndedStepsStatement.ofMemos(dialect).text(),
        "find-ended-waits", FindEndedStepsStatement.ofWaits(dialect).text(),
        "end-steps", EndStepsStatement.of(dialect).text(),
        "expire-signals", ExpireSignalsStatement.of(dialect).text());
  }
}
