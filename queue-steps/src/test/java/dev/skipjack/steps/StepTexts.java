package dev.skipjack.steps;

import dev.skipjack.sql.StatementText;
import dev.skipjack.steps.internal.SweepTexts;
import java.util.Map;
import java.util.TreeMap;
import org.jooq.DSLContext;

/** The texts of all statements of the module. */
final class StepTexts {

  private StepTexts() {}

  /** Returns the texts by the names of their golden files. */
  static Map<String, StatementText> all(DSLContext dialect) {
    Map<String, StatementText> texts = new TreeMap<>(SweepTexts.all(dialect));
    texts.put("memo", MemoStatement.of(dialect).text());
    texts.put("sleep", MemoStatement.ofSleep(dialect).text());
    texts.put("read-memos", ReadMemosStatement.of(dialect).text());
    texts.put("open-wait", WaitStatement.of(dialect).text());
    texts.put("take", TakeStatement.of(dialect).text());
    texts.put("signal", SignalStatement.of(dialect).text());
    return texts;
  }
}
