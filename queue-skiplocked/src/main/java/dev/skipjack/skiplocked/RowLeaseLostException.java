package dev.skipjack.skiplocked;

import java.util.List;
import java.util.UUID;
import org.jooq.Record;

/**
 * Thrown by {@link RowLease#complete} if the lease no longer holds some of its rows: the lease
 * expired and another claim took them, or they were completed, released or deleted. Nothing was
 * changed. Roll back what the transaction has written because of the lease.
 */
public final class RowLeaseLostException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  /** The token of the lease. */
  private final UUID token;

  /** The lost rows. */
  private final List<Record> lost;

  RowLeaseLostException(String table, UUID token, List<Record> lost) {
    super(
        "Lease %s no longer holds %d of its rows of %s: it expired, or they were completed, released or deleted. Roll back."
            .formatted(token, lost.size(), table));
    this.token = token;
    this.lost = List.copyOf(lost);
  }

  /** {@return the token of the lease} */
  public UUID token() {
    return token;
  }

  /**
   * {@return the lost rows, as the lease returned them} The message does not contain their values.
   */
  public List<Record> lost() {
    return lost;
  }
}
