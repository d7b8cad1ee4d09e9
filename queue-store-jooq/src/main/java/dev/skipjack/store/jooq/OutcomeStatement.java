package dev.skipjack.store.jooq;

import dev.skipjack.api.spi.Execution;
import dev.skipjack.store.jooq.internal.history.AuditWeeks;
import dev.skipjack.store.jooq.internal.sql.StatementText;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.jooq.DSLContext;
import org.jooq.ResultQuery;

/**
 * A statement that ends attempts. The weeks that they began in stand in its text (docs/adr/0002),
 * so it has one text a week, which is rendered when the first attempt of that week ends. Safe for
 * any number of threads.
 */
final class OutcomeStatement {

  /** Texts of other weeks are forgotten: who ends attempts of so many weeks ends few of each. */
  private static final int KEPT = 8;

  private final DSLContext dsl;
  private final Function<AuditWeeks, ResultQuery<?>> query;
  private final Map<AuditWeeks, StatementText> texts = new ConcurrentHashMap<>();

  OutcomeStatement(DSLContext dsl, Function<AuditWeeks, ResultQuery<?>> query) {
    this.dsl = dsl;
    this.query = query;
  }

  /** For one attempt. */
  StatementText ending(Execution attempt) {
    return in(AuditWeeks.of(attempt));
  }

  /** For a batch. */
  StatementText ending(List<Execution> attempts) {
    return in(AuditWeeks.of(attempts));
  }

  /** For attempts that began in these weeks. */
  StatementText in(AuditWeeks weeks) {
    StatementText text = texts.get(weeks);
    if (text == null) {
      if (texts.size() >= KEPT) {
        texts.clear();
      }
      text = StatementText.render(dsl, query.apply(weeks));
      texts.put(weeks, text);
    }
    return text;
  }
}
