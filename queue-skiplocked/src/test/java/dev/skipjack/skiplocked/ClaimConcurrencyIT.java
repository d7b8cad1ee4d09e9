package dev.skipjack.skiplocked;

import static dev.skipjack.skiplocked.Fixture.FREE_SEATS;
import static dev.skipjack.skiplocked.Fixture.HELD_SEATS;
import static dev.skipjack.skiplocked.Seat.SEAT;
import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.skiplocked.Seat.SeatRecord;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.IntConsumer;
import org.jooq.impl.DSL;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests eight threads that claim all seats of a theatre. Each sold seat is recorded. */
@QueueTest
class ClaimConcurrencyIT {

  private static final int THREADS = 8;
  private static final int SEATS = 800;

  private Fixture fixture;
  private final Queue<String> sold = new ConcurrentLinkedQueue<>();

  @BeforeEach
  void setUp(QueueDatabase database) {
    fixture = new Fixture(database);
    fixture.seats("A", SEATS);
  }

  @Test
  void eachRowIsClaimedByOneTransaction() throws Exception {
    inParallel(
        thread -> {
          Random random = new Random(thread);
          while (fixture.db.fetchExists(SEAT, SEAT.STATUS.eq("free"))) {
            boolean rollsBack = random.nextInt(5) == 0;
            List<String> places =
                fixture.db.transactionResult(
                    tx -> {
                      List<SeatRecord> seats =
                          FREE_SEATS.limit(1 + random.nextInt(9)).claim(tx.dsl());
                      seats.forEach(seat -> seat.set(SEAT.STATUS, "sold"));
                      tx.dsl().batchUpdate(seats).execute();
                      if (rollsBack) {
                        tx.dsl().execute("ROLLBACK AND CHAIN");
                      }
                      return Fixture.places(seats);
                    });
            if (!rollsBack) {
              sold.addAll(places);
            }
          }
        });

    assertEachSoldOnce();
  }

  /**
   * A third of the leases expire immediately and a sixth are released, but their holders still try
   * to complete them.
   */
  @Test
  void eachRowIsCompletedByOneLease() throws Exception {
    inParallel(
        thread -> {
          Random random = new Random(thread);
          while (fixture.db.fetchExists(SEAT, SEAT.STATUS.eq("free"))) {
            RowLease<SeatRecord> lease = HELD_SEATS.claimUpTo(fixture.db, 1 + random.nextInt(9));
            if (random.nextInt(3) == 0) {
              lease = lease.extend(fixture.db, Duration.ofNanos(1_000));
            }
            if (random.nextInt(6) == 0) {
              lease.release(fixture.db);
            }
            try {
              lease.complete(fixture.db, update -> update.set(SEAT.STATUS, "sold"));
              Fixture.places(lease.rows()).forEach(sold::add);
            } catch (RowLeaseLostException lost) {
              assertThat(lost.lost()).isNotEmpty();
              lease.release(fixture.db);
            }
          }
        });

    assertEachSoldOnce();
  }

  /** The number of seats is odd and they are claimed in pairs, so the last seat stays free. */
  @Test
  void exactClaimsNeverTakeFewerRows() throws Exception {
    fixture.db.deleteFrom(SEAT).where(SEAT.NUMBER.eq(SEATS)).execute();
    inParallel(
        thread -> {
          while (fixture.db.fetchCount(SEAT, SEAT.HELD_BY.isNull()) > 1) {
            HELD_SEATS
                .claimExactly(fixture.db, 2)
                .fold(lease -> sold.addAll(Fixture.places(lease.rows())), shortage -> false);
          }
        });

    assertThat(sold).hasSize(SEATS - 2).doesNotHaveDuplicates();
    assertThat(
            fixture.value(
                "SELECT count(*) FROM (SELECT held_by FROM seat WHERE held_by IS NOT NULL GROUP BY"
                    + " held_by HAVING count(*) = 2) AS pairs"))
        .isEqualTo(String.valueOf(SEATS / 2 - 1));
  }

  private void assertEachSoldOnce() {
    assertThat(sold).hasSize(SEATS).doesNotHaveDuplicates();
    assertThat(fixture.db.fetchCount(SEAT, SEAT.STATUS.eq(DSL.inline("sold")))).isEqualTo(SEATS);
  }

  private static void inParallel(IntConsumer work) throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(THREADS);
    try {
      List<Future<?>> started = new ArrayList<>();
      for (int i = 0; i < THREADS; i++) {
        int thread = i;
        started.add(threads.submit(() -> work.accept(thread)));
      }
      for (Future<?> each : started) {
        each.get(60, TimeUnit.SECONDS);
      }
    } finally {
      threads.shutdownNow();
    }
  }
}
