package dev.skipjack.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.outbox.Event;
import dev.skipjack.outbox.Outbox;
import dev.skipjack.outbox.PublishResult;
import dev.skipjack.outbox.Publisher;
import dev.skipjack.outbox.Relay;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Tests those uses of the commands for the outbox that {@link CommandLineDocumentTest} does not
 * run.
 */
@QueueTest
class OutboxCommandsTest {

  private Path home;
  private QueueDatabase database;
  private Outbox outbox;

  @BeforeEach
  void connect(QueueDatabase database, @TempDir Path home) {
    this.home = home;
    this.database = database;
    this.outbox = Outbox.on(Shop.queue(database));
  }

  private Program skipjack(String... arguments) {
    return Program.run(
        Map.of(),
        home,
        Stream.concat(Arrays.stream(arguments), Stream.of("--url", database.jdbcUrl()))
            .toArray(String[]::new));
  }

  private UUID record(Event event) throws SQLException {
    try (Connection connection = database.connection()) {
      connection.setAutoCommit(false);
      UUID id = outbox.in(connection).record(event);
      connection.commit();
      return id;
    }
  }

  private UUID recordPoison(String order) throws SQLException {
    return record(Event.of("order", order, "poison"));
  }

  /** Publishes all events except poison, which becomes dead. */
  private void publish() throws InterruptedException {
    Publisher publisher =
        Publisher.each(
            event ->
                event.type().equals("poison")
                    ? PublishResult.dead("Too \u001b[31mlarge")
                    : PublishResult.sent());
    try (Relay relay = outbox.relay(publisher).build()) {
      relay.runUntilIdle();
    }
  }

  private long dead() {
    return outbox.admin().lag().dead();
  }

  @Test
  void anEmptyOutboxHasNothingToShow() {
    assertThat(skipjack("outbox", "status").exitCode()).isZero();
    Program dead = skipjack("outbox", "dead");
    assertThat(dead).isEqualTo(new Program(4, "", "No event is dead.\n"));
    Program all = skipjack("outbox", "redrive", "--all", "--yes");
    assertThat(all.exitCode()).isEqualTo(4);
    assertThat(all.err()).contains("No dead event matches.");
    Program unknown = skipjack("outbox", "show", UUID.randomUUID().toString());
    assertThat(unknown.exitCode()).isEqualTo(4);
    assertThat(unknown.err()).contains("There is no event ");
  }

  @Test
  void aChangeOfManyEventsNeedsAConfirmation() throws Exception {
    for (int order = 1; order <= 7; order++) {
      recordPoison("" + order);
    }
    publish();

    Program asked = skipjack("outbox", "redrive", "--all");
    assertThat(asked.exitCode()).isEqualTo(2);
    assertThat(asked.out()).hasLineCount(6);
    assertThat(asked.err()).contains("Redrive 7 dead events?", "--yes");
    Program preview = skipjack("outbox", "redrive", "--all", "--dry-run", "--json");
    assertThat(preview.exitCode()).isZero();
    assertThat(preview.out()).startsWith("{\"events\":7,\"at_least\":false,\"sample\":[{");
    assertThat(dead()).isEqualTo(7);

    Program one = skipjack("outbox", "redrive", "--aggregate", "order", "3", "--yes");
    assertThat(one.exitCode()).as(one.err()).isZero();
    assertThat(one.out()).endsWith("Redrove 1 event.\n");
    assertThat(dead()).isEqualTo(6);
    assertThat(skipjack("outbox", "redrive", "--all", "--yes", "--json").out())
        .isEqualTo("{\"redriven\":6,\"not_dead\":[],\"more\":false}\n");
    assertThat(dead()).isZero();
  }

  @Test
  void aRedriveOfAllKeepsTheOrderOfEachAggregate() throws Exception {
    List<String> sent = Collections.synchronizedList(new ArrayList<>());
    AtomicBoolean isFixed = new AtomicBoolean();
    Publisher publisher =
        Publisher.each(
            event -> {
              if (!isFixed.get() && Set.of("e1", "e2").contains(event.type())) {
                return PublishResult.dead("broken");
              }
              if (event.aggregate().type().equals("order")) {
                sent.add(event.type());
              }
              return PublishResult.sent();
            });
    for (int i = 1; i <= 4; i++) {
      record(Event.of("order", "1", "e" + i));
    }
    try (Relay relay = outbox.relay(publisher).pollInterval(Duration.ofMillis(5)).build()) {
      relay.runUntilIdle();
      assertThat(skipjack("outbox", "unblock", "order", "1").exitCode()).isZero();
      try (Connection connection = database.connection();
          Statement insert = connection.createStatement()) {
        insert.execute(
            """
            INSERT INTO %s.outbox_events (event_id, shard, aggregate_type, aggregate_id, event_type, payload, status, died_at)
            SELECT gen_random_uuid(), 0, 'other', n %% 30, 'x', '', 'dead', clock_timestamp() FROM generate_series(1, 3000) AS n
            """
                .formatted(database.schema()));
      }
      relay.runUntilIdle();
      assertThat(outbox.admin().dead(10_000))
          .hasSize(3_002)
          .satisfies(dead -> assertThat(dead.get(0).type()).isEqualTo("e1"))
          .last()
          .satisfies(dead -> assertThat(dead.type()).isEqualTo("e2"));
      isFixed.set(true);
      relay.start();

      Program redrive = skipjack("outbox", "redrive", "--all", "--yes");

      assertThat(redrive.out()).endsWith("Redrove 3002 events.\n");
      Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> sent.size() == 4);
      assertThat(sent).containsExactly("e1", "e2", "e3", "e4");
    }
  }

  @Test
  void theExitCodeOfARedriveShowsWhetherAllWereDead() throws Exception {
    String first = recordPoison("1").toString();
    String second = recordPoison("2").toString();
    publish();

    assertThat(skipjack("outbox", "redrive", first).exitCode()).isZero();
    Program mixed = skipjack("outbox", "redrive", first, second);
    assertThat(mixed.exitCode()).isEqualTo(1);
    assertThat(mixed.out())
        .isEqualTo("Redrove 1 event. 1 is not dead, or does not exist: %s.\n".formatted(first));
    Program none = skipjack("outbox", "redrive", first, second, "--json");
    assertThat(none.exitCode()).isEqualTo(4);
    assertThat(none.out()).contains("\"not_dead\":[\"%s\",\"%s\"]".formatted(first, second));
  }

  @Test
  void anUnblockedAggregateContinuesWithoutItsDeadEvent() throws Exception {
    recordPoison("1");
    record(Event.of("order", "1", "good"));
    publish();

    Program unblock = skipjack("outbox", "unblock", "order", "1", "--json");
    assertThat(unblock.out())
        .isEqualTo("{\"aggregate_type\":\"order\",\"aggregate_id\":\"1\",\"unblocked\":true}\n");
    publish();
    assertThat(outbox.admin().lag().unpublished()).isZero();
    assertThat(skipjack("outbox", "unblock", "order", "1").exitCode()).isEqualTo(4);
  }

  @Test
  void aPayloadIsShownOnlyOnRequest() throws Exception {
    String json = record(Event.of("order", "1", "good").payload("card-4711")).toString();
    String bytes =
        record(Event.of("order", "2", "good").payload(new byte[] {1, 2, 3}, "application/avro"))
            .toString();
    publish();

    assertThat(skipjack("outbox", "show", json).out())
        .contains("published at")
        .doesNotContain("4711");
    assertThat(skipjack("outbox", "show", json, "--json").out())
        .contains("\"status\":\"published\"")
        .doesNotContain("payload");
    assertThat(skipjack("outbox", "show", json, "--payload").out()).contains("card-4711");
    assertThat(skipjack("outbox", "show", bytes, "--payload").out()).contains("AQID");
  }

  @Test
  void storedTextCannotControlTheTerminal() throws Exception {
    String poison = recordPoison("1").toString();
    publish();

    assertThat(skipjack("outbox", "dead").out()).contains("Too ").doesNotContain("\u001b");
    assertThat(skipjack("outbox", "show", poison).out()).doesNotContain("\u001b");
  }

  @Test
  void aFullListReportsThatThereMayBeMore() throws Exception {
    recordPoison("1");
    recordPoison("2");
    publish();

    assertThat(skipjack("outbox", "dead", "--limit", "1").err()).startsWith("There may be more");
    assertThat(skipjack("outbox", "dead", "--limit", "3").err()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "outbox show 17                                | '17' is not the id of an event, which is a UUID.",
        "outbox dead --limit 0                         | Limit 0 must be from 1 to 10000.",
        "outbox redrive                                | Name the events by their ids, or use one of --aggregate and --all.",
        "outbox redrive --all --aggregate order 1      | Name the events by their ids",
        "outbox redrive --aggregate a 1 --aggregate b 2 | --aggregate names one aggregate.",
        "outbox redrive 019ab000-0000-7000-8000-000000000001 --dry-run | --dry-run does not apply",
        "outbox unblock with+plus 1                    | Aggregate type 'with+plus' is not allowed."
      })
  void wrongInputIsReportedInASentence(String arguments, String sentence) {
    Program refused = skipjack(arguments.split(" "));

    assertThat(refused.exitCode()).isEqualTo(2);
    assertThat(refused.err()).contains(sentence);
  }
}
