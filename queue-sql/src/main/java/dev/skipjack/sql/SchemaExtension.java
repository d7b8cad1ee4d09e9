package dev.skipjack.sql;

import dev.skipjack.api.operations.Finding;
import java.util.List;
import java.util.function.Function;
import org.jooq.DSLContext;

/**
 * Adds the checks and the partitions of a module that has its own tables in the queue's schema.
 * {@link java.util.ServiceLoader} finds the implementations on the class path. If one of them
 * throws, the other checks and steps still run. Implementations must be thread-safe.
 */
public interface SchemaExtension {

  /** {@return the name of the module's table that needs a partition for each day in UTC} */
  String dailyTable();

  /**
   * Creates the statement that determines whether the table is used and needs partitions.
   *
   * @param dialect the context that renders
   * @return the statement
   */
  Statement<NoRequest, Boolean> isUsed(DSLContext dialect);

  /**
   * {@return the checks that the doctor runs after its own, in the order of their findings}
   *
   * @param dialect the context that renders
   */
  List<Check> checks(DSLContext dialect);

  /**
   * A check and the function that runs it.
   *
   * @param run runs statements in read-only transactions, and returns the finding
   */
  record Check(DoctorCheck check, Function<OwnTransactions, Finding> run) {}
}
