package dev.skipjack.store.jooq.internal.history;

import dev.skipjack.api.StoreException;
import dev.skipjack.api.spi.Postponed;
import dev.skipjack.api.spi.Postponed.Reason;
import java.util.Map;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Maps database errors to the reasons why a partition was not created or removed. */
final class PartitionErrors {

  private static final Logger LOG = LoggerFactory.getLogger(PartitionErrors.class);

  private static final String LOCK_TIMEOUT = "55P03";
  private static final String DEADLOCK = "40P01";
  private static final String QUERY_CANCELED = "57014";
  private static final String NOT_IN_PREREQUISITE_STATE = "55000";
  private static final String UNDEFINED_TABLE = "42P01";
  private static final String INTERNAL = "XX000";
  private static final String INVALID_OBJECT_DEFINITION = "42P17";
  private static final String FORBIDDEN = "42501";
  private static final String DEPENDENT_OBJECTS = "2BP01";

  /**
   * The SQLSTATEs of a detach that fails because another session has detached the same partition or
   * has begun to detach it.
   */
  private static final Set<String> DETACHED_BY_ANOTHER =
      Set.of(NOT_IN_PREREQUISITE_STATE, UNDEFINED_TABLE, INTERNAL);

  private static final Map<String, Reason> WHILE_CREATING =
      Map.of(
          LOCK_TIMEOUT, Reason.BUSY,
          DEADLOCK, Reason.BUSY,
          QUERY_CANCELED, Reason.BUSY,
          NOT_IN_PREREQUISITE_STATE, Reason.IN_THE_WAY, // create_partition reports it
          INVALID_OBJECT_DEFINITION, Reason.IN_THE_WAY, // a partition of other bounds overlaps
          FORBIDDEN, Reason.FORBIDDEN);

  private static final Map<String, Reason> WHILE_REMOVING =
      Map.of(
          LOCK_TIMEOUT, Reason.BUSY,
          DEADLOCK, Reason.BUSY,
          QUERY_CANCELED, Reason.BUSY,
          NOT_IN_PREREQUISITE_STATE, Reason.BUSY, // another partition is being detached
          UNDEFINED_TABLE, Reason.BUSY, // another worker detached or dropped it first
          INTERNAL, Reason.BUSY, // "tuple concurrently updated", caused by another worker
          DEPENDENT_OBJECTS, Reason.DEPENDED_ON,
          FORBIDDEN, Reason.FORBIDDEN);

  private PartitionErrors() {}

  /**
   * Returns whether a partition could not be detached because another session has detached it or
   * has begun to.
   */
  static boolean isDetachedByAnother(StoreException failure) {
    return failure.sqlState().filter(DETACHED_BY_ANOTHER::contains).isPresent();
  }

  /**
   * Returns the result for a partition that could not be created.
   *
   * @throws StoreException the failure itself, if the database is unavailable
   */
  static Postponed whileCreating(Partition partition, StoreException failure) {
    return postponed(partition.name(), failure, WHILE_CREATING);
  }

  /**
   * Returns the result for a partition if it or the expired rows in it could not be removed.
   *
   * @throws StoreException the failure itself, if the database is unavailable
   */
  static Postponed whileRemoving(Partition partition, StoreException failure) {
    return whileRemoving(partition.name(), failure);
  }

  /**
   * Returns the result for a table whose expired rows could not be removed.
   *
   * @throws StoreException the failure itself, if the database is unavailable
   */
  static Postponed whileRemoving(String name, StoreException failure) {
    return postponed(name, failure, WHILE_REMOVING);
  }

  private static Postponed postponed(
      String name, StoreException failure, Map<String, Reason> reasons) {
    MaintenanceSteps.requireAvailable(failure);
    Reason reason = failure.sqlState().map(reasons::get).orElse(Reason.FAILED);
    LOG.debug("Partition postponed partition={} reason={}", name, reason, failure);
    boolean hasMessage = reason == Reason.DEPENDED_ON || reason == Reason.FAILED;
    return new Postponed(name, reason, hasMessage ? String.valueOf(failure.getMessage()) : "");
  }
}
