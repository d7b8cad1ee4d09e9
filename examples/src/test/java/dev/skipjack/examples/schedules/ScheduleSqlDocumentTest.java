package dev.skipjack.examples.schedules;

import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.api.schedule.ScheduleState;
import dev.skipjack.api.spi.ScheduleStore;
import dev.skipjack.api.spi.ScheduleStore.Fired;
import dev.skipjack.examples.ExampleDatabase;
import dev.skipjack.store.jooq.JobQueue;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import org.jooq.DSLContext;
import org.jooq.SQLDialect;
import org.jooq.impl.DSL;
import org.junit.jupiter.api.Test;

/** Tests that the SQL in the guide on schedules does what that page says. */
@QueueTest
class ScheduleSqlDocumentTest {

  private static final Path GUIDE = Path.of("../docs/guides/schedules.md");

  @Test
  void schedulesAreListedPausedResumedAndFiredInSql(QueueDatabase empty) throws IOException {
    List<String> statements = statements();
    assertThat(statements).hasSize(4);
    try (ExampleDatabase database = ExampleDatabase.open(empty.jdbcUrl())) {
      DSLContext db = DSL.using(database.dataSource(), SQLDialect.POSTGRES);
      JobQueue queue = JobQueue.on(database.dataSource());
      ScheduleStore store = queue.scheduleStore().orElseThrow();
      queue.schedules().declare(Reports.MORNING_REPORT);

      assertThat(db.fetch(statements.get(0)).getValues("timing", String.class))
          .containsExactly("0 9 * * MON-FRI");

      List<Instant> before = state(queue).nextFires();
      assertThat(db.execute(statements.get(1))).isEqualTo(1);
      assertThat(state(queue).isPaused()).isTrue();

      db.execute(
          "UPDATE skipjack.job_schedules SET next_at = next_at - interval '7 days', due_at = next_at - interval '7 days', paused_at = now() - interval '9 days'");
      assertThat(db.execute(statements.get(2))).isEqualTo(1);
      assertThat(state(queue).isPaused()).isFalse();
      assertThat(store.fireDue(List.of()).fired()).isEmpty();
      assertThat(state(queue).nextFires()).isEqualTo(before);

      assertThat(db.execute(statements.get(3))).isEqualTo(1);
      List<Fired> fired = store.fireDue(List.of()).fired();
      assertThat(fired).hasSize(1);
      assertThat(db.fetchValue("SELECT headers ->> 'skipjack-schedule' FROM skipjack.jobs"))
          .isEqualTo("morning-report@" + fired.get(0).fire().at());
      assertThat(state(queue).nextFires()).isEqualTo(before);

      db.execute(
          "UPDATE skipjack.job_schedules SET next_at = next_at - interval '7 days', due_at = next_at - interval '7 days', paused_at = now() - interval '1 s'");
      assertThat(db.execute(statements.get(2))).isEqualTo(1);
      assertThat(store.fireDue(List.of()).fired()).hasSize(1);
      assertThat(state(queue).nextFires()).isEqualTo(before);
    }
  }

  private static ScheduleState state(JobQueue queue) {
    return queue.schedules().find("morning-report").orElseThrow();
  }

  private static List<String> statements() throws IOException {
    String guide = Files.readString(GUIDE);
    int begin = guide.indexOf("```sql\n") + "```sql\n".length();
    String block = guide.substring(begin, guide.indexOf("```", begin));
    return Arrays.stream(block.split(";", -1))
        .map(String::strip)
        .filter(it -> !it.isEmpty())
        .toList();
  }
}
