package dev.skipjack.outbox;

import static dev.skipjack.outbox.Fixture.event;
import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.api.Backoff;
import dev.skipjack.outbox.BatchResult.Rules;
import dev.skipjack.sql.StatementText;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Tests relays while a transaction keeps an old snapshot, so that the index entries of published
 * events stay before the pending ones.
 */
@QueueTest
class HeldSnapshotTest {

  private static final int PUBLISHED = 40_000;
  private static final Pattern BUFFERS =
      Pattern.compile("Buffers: shared(?: hit=(\\d+))?(?: read=(\\d+))?");

  private Fixture fixture;
  private final AtomicLong nanoTime = new AtomicLong();
  private final ShardMarks marks = new ShardMarks(nanoTime::get, Duration.ofNanos(-1));
  private RelayStore store;
  private final List<String> sent = new ArrayList<>();

  @BeforeEach
  void connect(QueueDatabase database) {
    fixture = new Fixture(database);
    store = new RelayStore(fixture.queue.extension(), true, marks);
  }

  /** Publishes what relays find now. Each read may sweep. */
  private void publish() {
    while (true) {
      nanoTime.addAndGet(Duration.ofMinutes(1).toNanos());
      Optional<Fetched> next = store.next("r", 32, Duration.ofSeconds(30), 1_000, 1 << 20);
      if (next.isEmpty()) {
        return;
      }
      Fetched fetched = next.get();
      fetched.publishable().forEach(event -> sent.add(event.type()));
      store.record(
          fetched.leases(),
          BatchResult.of(
              fetched,
              fetched.publishable().stream().map(event -> PublishResult.sent()).toList(),
              new Rules(
                  Backoff.fixed(Duration.ZERO), 5, false, new ErrorTexts(UnaryOperator.identity())),
              ThreadLocalRandom.current()));
    }
  }

  private void publishOthers(int batches) {
    for (int i = 0; i < batches; i++) {
      fixture.record(event("other-" + i, "other"));
      publish();
    }
    sent.clear();
  }

  @Test
  void marksAreUsedAndFollowTheEvents() {
    publishOthers(6);
    List<Long> before = List.copyOf(marks.marks());
    assertThat(before).hasSize(32).allSatisfy(mark -> assertThat(mark).isPositive());

    publishOthers(4);

    assertThat(marks.marks().get(0)).isGreaterThan(before.get(0));
  }

  @Test
  void anEventThatIsCommittedLateIsPublishedBeforeLaterOnesOfItsAggregate() throws Exception {
    publishOthers(6);
    try (Connection late = fixture.database.connection()) {
      late.setAutoCommit(false);
      fixture.outbox.in(late).record(event(1, "e1"));
      publishOthers(6);
      assertThat(marks.marks()).isNotEmpty();
      late.commit();
    }
    fixture.record(event(1, "e2"));

    Fetched next = store.next("r", 32, Duration.ofSeconds(30), 1_000, 1 << 20).orElseThrow();

    assertThat(next.publishable()).extracting(RecordedEvent::type).containsExactly("e1", "e2");
  }

  @Test
  void anEventBelowTheMarkOfItsShardIsFoundByASweep() {
    publishOthers(6);
    assertThat(marks.marks()).isNotEmpty();
    fixture.record(event(1, "moved"));
    fixture.execute("UPDATE @outbox_events SET position = -7");

    publish();

    assertThat(sent).containsExactly("moved");
  }

  @Test
  void relaysWithAMarkDoNotReadEntriesOfPublishedEvents() throws Exception {
    try (Connection holder = fixture.database.connection();
        Statement statement = holder.createStatement()) {
      holder.setAutoCommit(false);
      holder.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
      statement.execute("SELECT pg_current_xact_id()");
      insert(PUBLISHED);
      fixture.execute("DELETE FROM @outbox_events");
      insert(64);
      String mark = fixture.value("SELECT min(position) FROM @outbox_events");
      String all = "'{" + String.join(",", Collections.nCopies(32, mark)) + "}'";

      for (String name : List.of("lease-shards", "fetch-pending")) {
        String none =
            name.equals("lease-shards")
                ? "'{}'"
                : all.replace(mark, String.valueOf(Long.MIN_VALUE));
        assertThat(pages(name, all)).as(name).isLessThan(pages(name, none) / 4);
      }
      holder.rollback();
    }
  }

  private void insert(int events) {
    fixture.execute(
        """
        INSERT INTO @outbox_events (event_id, shard, aggregate_type, aggregate_id, event_type, payload)
        SELECT gen_random_uuid(), n %% 32, 'order', n, 'a', '' FROM generate_series(1, %d) AS n
        """
            .formatted(events));
  }

  private long pages(String name, String lows) throws SQLException {
    StatementText text =
        Objects.requireNonNull(Statements.all(fixture.queue.extension().dialect().get()).get(name));
    String arguments =
        String.join(
            ", ",
            text.parameters().stream()
                .map(
                    parameter ->
                        switch (parameter) {
                          case "lows" -> lows;
                          case "shards" ->
                              name.equals("lease-shards")
                                  ? "32"
                                  : "'{0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31}'";
                          default -> "'1000000'";
                        })
                .toList());
    int[] number = {0};
    String numbered =
        Pattern.compile("\\?")
            .matcher(text.sql())
            .replaceAll(found -> Matcher.quoteReplacement("$" + ++number[0]));
    try (Connection connection = fixture.database.connection();
        Statement sql = connection.createStatement()) {
      connection.setAutoCommit(false);
      sql.execute("SET LOCAL plan_cache_mode = force_generic_plan");
      sql.execute("PREPARE planned AS " + numbered);
      StringBuilder plan = new StringBuilder();
      long pages = -1;
      try (ResultSet lines =
          sql.executeQuery(
              "EXPLAIN (ANALYZE, BUFFERS) EXECUTE planned (%s)".formatted(arguments))) {
        while (lines.next()) {
          plan.append(lines.getString(1)).append('\n');
        }
      }
      Matcher first = BUFFERS.matcher(plan);
      if (first.find()) {
        pages = number(first.group(1)) + number(first.group(2));
      }
      sql.execute("DEALLOCATE planned");
      connection.rollback();
      assertThat(pages).as(plan.toString()).isPositive();
      return pages;
    }
  }

  private static long number(@Nullable String digits) {
    return digits == null ? 0 : Long.parseLong(digits);
  }
}
