package dev.skipjack.sql;

import dev.skipjack.api.operations.Finding;
import java.util.List;
import java.util.function.Function;
import org.jooq.DSLContext;

/**
 * What a module with its own tables in the queue's schema adds to the doctor and to maintenance.
 * {@link java.util.ServiceLoader} finds the implementations on the class path. If one of them
 * throws, the other checks and steps still run. Implementations are thread-safe.
 */
public interface SchemaExtension {

  /** Returns the name of the module's table that needs a partition for each day in UTC. */
  String dailyTable();

  /** Creates the statement that determines whether the table is used, so it needs partitions. */
  Statement<NoRequest, Boolean> isUsed(DSLContext dialect);

  /** Returns the checks that the doctor runs after its own, in the order of their findings. */
  List<Check> checks(DSLContext dialect);

  /**
   * A check and what runs it.
   *
   * @param run returns the finding, from statements in read-only transactions
   */
  record Check(DoctorCheck check, Function<OwnTransactions, Finding> run) {}
}
