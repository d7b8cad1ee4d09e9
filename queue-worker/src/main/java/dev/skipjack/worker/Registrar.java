package dev.skipjack.worker;

import static dev.skipjack.worker.WorkerLog.LOG;

import dev.skipjack.api.StoreException;
import dev.skipjack.api.spi.WorkerInstructions;
import dev.skipjack.api.spi.WorkerRegistry;
import dev.skipjack.api.spi.WorkerRow;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.random.RandomGenerator;

/**
 * Writes the worker's row for operators, checks the version of the schema, reports once the kinds
 * of due jobs that the worker does not handle, instructs the {@link Scheduler} and the {@link
 * OperationContinuer}, and writes the numbers for charts. The rescue of jobs does not depend on the
 * row.
 */
final class Registrar implements Loop.Step {

  private static final long INTERVAL = Duration.ofMinutes(1).toNanos();

  /** SQLSTATEs of an undefined function and an undefined table. */
  private static final Set<String> NOT_THERE = Set.of("42883", "42P01");

  private final WorkerRegistry registry;
  private final WorkerRow row;
  private final int neededSchema;
  private final Scheduler scheduler;
  private final OperationContinuer operations;
  private final Vitals vitals;
  private final Reporter reporter;
  private final MinuteWriter minutes;
  private final RandomGenerator random;
  private long announceAt = System.nanoTime();
  private boolean asked;
  private boolean toldOfSchema;
  private boolean toldOfEncoding;
  private boolean checkedKinds;

  Registrar(
      WorkerRegistry registry,
      WorkerRow row,
      int neededSchema,
      Scheduler scheduler,
      OperationContinuer operations,
      Vitals vitals,
      Reporter reporter,
      MinuteWriter minutes,
      RandomGenerator random) {
    this.registry = registry;
    this.row = row;
    this.neededSchema = neededSchema;
    this.scheduler = scheduler;
    this.operations = operations;
    this.vitals = vitals;
    this.reporter = reporter;
    this.minutes = minutes;
    this.random = random;
  }

  @Override
  public long run() {
    boolean announces = System.nanoTime() - announceAt >= 0;
    if (announces) {
      register();
      announceAt = System.nanoTime() + Jitter.around(INTERVAL, random);
    }
    boolean writes = minutes.run();
    asked = announces || writes;
    if (!checkedKinds) {
      checkedKinds = true;
      checkKinds();
    }
    return Math.max(1, Math.min(announceAt - System.nanoTime(), minutes.nanosLeft()));
  }

  /**
   * Returns whether the last run used the database. A run that was woken unnecessarily does not.
   */
  @Override
  public boolean asked() {
    return asked;
  }

  private void register() {
    Optional<WorkerInstructions> standing = announce();
    standing.ifPresent(
        instructions -> {
          vitals.nextFireIn(instructions.nextFireIn());
          scheduler.instructed(instructions);
          operations.instructed(instructions);
          if (instructions.depthsDue()) {
            minutes.addDepths();
          }
        });
    standing.map(WorkerInstructions::encoding).ifPresent(this::checkEncoding);
    int version = standing.map(WorkerInstructions::schemaVersion).orElse(0);
    boolean current = version >= neededSchema;
    vitals.schemaIs(current);
    if (!current && !toldOfSchema) {
      reporter.schemaTooOld(version, neededSchema);
    }
    toldOfSchema = !current;
  }

  /**
   * Warns if the database has an encoding that migrations reject. A dump may have been restored
   * into such a database.
   */
  private void checkEncoding(String encoding) {
    vitals.encodingIs(encoding);
    if (!encoding.equals(WorkerInstructions.UTF8) && !toldOfEncoding) {
      reporter.encodingUnsuitable(encoding);
      toldOfEncoding = true;
    }
  }

  /**
   * Reports kinds that the worker does not handle. A failure must not keep the worker from
   * starting.
   */
  private void checkKinds() {
    try {
      reporter.unhandled(registry.unhandledKinds(row));
    } catch (StoreException unknown) {
      LOG.debug("Kinds without a handler could not be determined", unknown);
    }
  }

  /**
   * Announces the worker. Returns empty if the schema is missing, or so old that it has no version.
   */
  private Optional<WorkerInstructions> announce() {
    try {
      return Optional.of(registry.announce(row));
    } catch (StoreException refused) {
      if (refused.sqlState().filter(NOT_THERE::contains).isPresent()) {
        return Optional.empty();
      }
      throw refused;
    }
  }

  /**
   * Removes the row, and writes the last counts. If that fails, another worker removes the row a
   * day later.
   */
  void leave() {
    try {
      registry.remove(row.id());
    } catch (StoreException away) {
      LOG.debug("Worker's row could not be removed", away);
    }
    minutes.write();
  }
}
