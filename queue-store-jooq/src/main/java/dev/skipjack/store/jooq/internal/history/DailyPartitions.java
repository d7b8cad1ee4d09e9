package dev.skipjack.store.jooq.internal.history;

import dev.skipjack.api.spi.CreatedPartitions;
import dev.skipjack.api.spi.RemovedPartitions;
import dev.skipjack.sql.Lazy;
import dev.skipjack.sql.OwnTransactions;
import java.time.Duration;
import java.util.List;
import javax.sql.DataSource;
import org.jooq.DSLContext;

/**
 * Creates and removes the partitions of another module's table that has one partition for each day,
 * as maintenance does for the history of jobs. Safe for any number of threads and processes.
 */
public final class DailyPartitions {

  private static final long LONGEST_CALL = Duration.ofSeconds(10).toNanos();

  private final PartitionedTable table;
  private final PartitionCreator creator;
  private final PartitionRemover remover;
  private final PartitionHealing healing;

  /**
   * @param dataSource the data source of {@code transactions}, also used to detach and drop
   *     partitions
   * @param dialect renders statements for the queue's schema, without a connection
   * @param schema the queue's schema as it is named in the catalog
   */
  public DailyPartitions(
      String table,
      DataSource dataSource,
      OwnTransactions transactions,
      Lazy<DSLContext> dialect,
      String schema) {
    this.table = new PartitionedTable(table, 1);
    this.creator = new PartitionCreator(transactions, dialect, List.of(this.table));
    this.remover =
        new PartitionRemover(transactions, dialect, schema, new PartitionDdl(dataSource, dialect));
    this.healing = new PartitionHealing(creator::createPresent);
  }

  /** Returns an object that repeats a write after creating the partition that was missing. */
  public PartitionHealing healing() {
    return healing;
  }

  /** Creates the missing partitions from now until {@code ahead} has passed. */
  public CreatedPartitions createPartitions(Duration ahead) {
    return creator.create(ahead);
  }

  /** Removes the partitions in which every row is older than {@code retention}. */
  public synchronized RemovedPartitions removePartitions(Duration retention) {
    return remover.remove(table, creator.now().minus(retention), System.nanoTime() + LONGEST_CALL);
  }
}
