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
 * Creates and removes the partitions of the published events, as maintenance does for the history
 * of jobs. Safe for any number of threads and processes.
 */
public final class PublishedEvents {

  private static final long LONGEST_CALL = Duration.ofSeconds(10).toNanos();

  private final PartitionCreator creator;
  private final PartitionRemover remover;
  private final PartitionHealing healing;

  /**
   * @param dataSource the data source for detaching and dropping partitions, and of {@code
   *     transactions}
   * @param dialect renders statements for the queue's schema, without a connection
   * @param schema the queue's schema as it is named in the catalog
   */
  public PublishedEvents(
      DataSource dataSource,
      OwnTransactions transactions,
      Lazy<DSLContext> dialect,
      String schema) {
    this.creator = new PartitionCreator(transactions, dialect, List.of(PartitionedTable.PUBLISHED));
    this.remover =
        new PartitionRemover(transactions, dialect, schema, new PartitionDdl(dataSource, dialect));
    this.healing = new PartitionHealing(creator::createPresent);
  }

  /** Returns what repeats a write after creating the partition that was missing. */
  public PartitionHealing healing() {
    return healing;
  }

  /** Creates the missing partitions for the period of {@code ahead} from now. */
  public CreatedPartitions createPartitions(Duration ahead) {
    return creator.create(ahead);
  }

  /**
   * Removes the partitions in which every event was published longer ago than {@code retention}.
   */
  public synchronized RemovedPartitions removePartitions(Duration retention) {
    return remover.remove(
        PartitionedTable.PUBLISHED,
        creator.now().minus(retention),
        System.nanoTime() + LONGEST_CALL);
  }
}
