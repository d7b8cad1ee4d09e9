package dev.skipjack.examples.anytable;

import static dev.skipjack.examples.anytable.Tables.SEAT;
import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.examples.ExampleDatabase;
import dev.skipjack.examples.Story;
import dev.skipjack.skiplocked.RowLease;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jooq.Record;
import org.jooq.SQLDialect;
import org.jooq.impl.DSL;
import org.junit.jupiter.api.Test;

@QueueTest
class SeatsTest {

  private static final int PER_ROW = 9;

  @Test
  void anExpiredReservationCannotBePaid(QueueDatabase empty) {
    Story story = new Story();
    try (ExampleDatabase database = ExampleDatabase.open(empty.jdbcUrl())) {
      Seats.run(database.dataSource(), story.out);
    }

    assertThat(story.lines())
        .containsExactly(
            "Ann reserves [A1, A2]",
            "the reservation expires, Bob reserves [A1, A2]",
            "Ann pays too late for 2 seats",
            "payments: Bob",
            "two more: no");
  }

  /** Counts every seat, to check that all pairs are adjacent and no seat is sold twice. */
  @Test
  void aCrowdBuysPairsAndNoSeatIsSoldTwice(QueueDatabase empty) throws Exception {
    Queue<List<String>> sold = new ConcurrentLinkedQueue<>();
    try (ExampleDatabase database = ExampleDatabase.open(empty.jdbcUrl())) {
      Seats seats = new Seats(database.dataSource());
      seats.create(6, PER_ROW);
      Crowd.run(
          customer -> {
            while (!seats.freePairs().isEmpty()) {
              Optional<RowLease<Record>> pair = seats.reserve(Duration.ofMinutes(10));
              pair.ifPresent(
                  both -> {
                    seats.pay(both, "customer " + customer);
                    sold.add(Seats.names(both));
                  });
            }
          });

      assertThat(sold.stream().flatMap(List::stream)).doesNotHaveDuplicates();
      assertThat(sold)
          .allSatisfy(
              pair -> {
                assertThat(pair.get(0).charAt(0)).isEqualTo(pair.get(1).charAt(0));
                assertThat(pair.get(1).charAt(1) - pair.get(0).charAt(1)).isEqualTo(1);
              });
      var db = DSL.using(database.dataSource(), SQLDialect.POSTGRES);
      assertThat(db.fetchCount(SEAT, SEAT.CUSTOMER.isNotNull())).isEqualTo(2 * sold.size());
      assertThat(db.fetchValue("SELECT count(*) FROM payment")).isEqualTo((long) sold.size());
    }
  }
}
