package dev.skipjack.worker;

import dev.skipjack.api.QueueAccess;
import java.util.OptionalInt;

/** Determines the number of connections that a started worker keeps for itself. */
final class Connections {

  private Connections() {}

  /**
   * Returns the number of connections that a worker with this configuration keeps.
   *
   * @throws IllegalStateException if the pool does not have at least one connection more than that
   */
  static int require(QueueAccess access, WorkerConfig config) {
    boolean listens = config.wakeUps() && access.wakeUps().isPresent() && !access.listensApart();
    int kept = listens ? 2 : 1;
    OptionalInt size = access.poolSize();
    if (size.isPresent() && size.getAsInt() <= kept) {
      throw new IllegalStateException(
          "The queue's pool has %d connection%s, but the worker keeps %s and needs one more to claim and write. Set its maximum to %d or more, plus the connections that handlers use."
              .formatted(
                  size.getAsInt(),
                  size.getAsInt() == 1 ? "" : "s",
                  listens ? "2 (to renew leases, and to listen)" : "1 (to renew leases)",
                  kept + 1));
    }
    return kept;
  }
}
