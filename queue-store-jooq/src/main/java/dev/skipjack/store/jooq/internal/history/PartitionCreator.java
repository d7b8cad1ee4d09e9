package dev.skipjack.store.jooq.internal.history;

import dev.skipjack.api.StoreException;
import dev.skipjack.api.spi.CreatedPartitions;
import dev.skipjack.api.spi.Postponed;
import dev.skipjack.sql.Contention;
import dev.skipjack.sql.Lazy;
import dev.skipjack.sql.NoRequest;
import dev.skipjack.sql.OwnTransactions;
import dev.skipjack.sql.Pause;
import dev.skipjack.sql.Statement;
import dev.skipjack.store.jooq.internal.history.PresentPartitionsStatement.Present;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.jooq.DSLContext;

/**
 * Creates the partitions that are missing. One statement finds them, and each is created in its own
 * transaction, so that one failure does not prevent the others. Safe for any number of threads, and
 * for any number of workers at once.
 */
final class PartitionCreator {

  private static final int TRIES = 4;
  private static final Duration LONGEST_PAUSE = Duration.ofMillis(200);

  private final List<PartitionedTable> tables;
  private final OwnTransactions transactions;
  private final Statement<NoRequest, Instant> readClock;
  private final Statement<List<PartitionedTable>, Present> findPresent;
  private final Statement<Partition, Boolean> createPartition;

  /**
   * @param dialect renders statements for the queue's schema, without a connection
   * @param tables the tables whose partitions are created
   */
  PartitionCreator(
      OwnTransactions transactions, Lazy<DSLContext> dialect, List<PartitionedTable> tables) {
    this.tables = tables;
    this.transactions = transactions;
    this.readClock = Statement.lazily(() -> ReadClockStatement.of(dialect.get()));
    this.findPresent = Statement.lazily(() -> PresentPartitionsStatement.of(dialect.get()));
    this.createPartition = Statement.lazily(() -> CreatePartitionStatement.of(dialect.get()));
  }

  /**
   * Creates the missing partitions from now until {@code ahead} has passed, by the database's
   * clock.
   */
  CreatedPartitions create(Duration ahead) {
    Present present = present();
    return create(present, present.now(), present.now().plus(ahead), failure -> {});
  }

  /** Returns the time by the database's clock. */
  Instant now() {
    return transactions.run(readClock, NoRequest.NONE).get(0);
  }

  /**
   * Creates the missing partitions for the current time.
   *
   * @return the reason why one of them could not be created, or empty if none is missing
   */
  Optional<StoreException> createPresent() {
    Present present = present();
    List<StoreException> failures = new ArrayList<>();
    create(present, present.now(), present.now(), failures::add);
    return failures.stream().findFirst();
  }

  /** Creates the missing partitions for rows from {@code first} to {@code last}. */
  CreatedPartitions create(Instant first, Instant last) {
    return create(present(), first, last, failure -> {});
  }

  private Present present() {
    return transactions.run(findPresent, tables).get(0);
  }

  private CreatedPartitions create(
      Present present, Instant first, Instant last, Consumer<StoreException> failed) {
    List<String> created = new ArrayList<>();
    List<Postponed> postponed = new ArrayList<>();
    Optional<Instant> missingFrom = Optional.empty();
    for (PartitionedTable table : tables) {
      for (Partition partition = table.containing(first);
          !partition.start().isAfter(last);
          partition = partition.next()) {
        try {
          if (!present.contains(partition) && create(partition)) {
            created.add(partition.name());
          }
        } catch (StoreException failure) {
          postponed.add(PartitionErrors.whileCreating(partition, failure));
          failed.accept(failure);
          Instant start = partition.start();
          missingFrom =
              missingFrom.filter(earlier -> earlier.isBefore(start)).or(() -> Optional.of(start));
        }
      }
    }
    return new CreatedPartitions(created, postponed, missingFrom);
  }

  private boolean create(Partition partition) {
    for (int tries = 1; ; tries++) {
      try {
        return transactions.run(createPartition, partition).get(0);
      } catch (StoreException failure) {
        if (tries == TRIES || !Contention.caused(failure) || !Pause.upTo(LONGEST_PAUSE)) {
          throw failure;
        }
      }
    }
  }
}
