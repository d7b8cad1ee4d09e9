package dev.skipjack.store.jooq;

import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.store.jooq.internal.ordering.StrictOrdering;
import dev.skipjack.store.jooq.internal.sql.StatementDialect;
import java.util.concurrent.atomic.AtomicInteger;
import org.jooq.DSLContext;
import org.jooq.VisitContext;
import org.jooq.VisitListener;
import org.junit.jupiter.api.Test;

class EnqueueWriterTest {

  /** Otherwise the first enqueue of a process would load the classes that render the statement. */
  @Test
  void rendersTheStatementOfASingleJobBeforeTheFirstEnqueue() {
    AtomicInteger rendered = new AtomicInteger();
    VisitListener counter =
        new VisitListener() {
          @Override
          public void visitStart(VisitContext context) {
            rendered.incrementAndGet();
          }
        };
    DSLContext dialect =
        StatementDialect.forSchema("skipjack").configuration().deriveAppending(counter).dsl();

    EnqueueWriter unused = new EnqueueWriter(dialect, new StrictOrdering(dialect));

    assertThat(rendered).hasPositiveValue();
  }
}
