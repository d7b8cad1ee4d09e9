package dev.skipjack.store.jooq.internal.schedule;

import static org.jooq.impl.DSL.select;

import dev.skipjack.sql.DatabaseClock;
import dev.skipjack.sql.Lazy;
import dev.skipjack.sql.NoRequest;
import dev.skipjack.sql.Session;
import dev.skipjack.sql.Statement;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jooq.DSLContext;

/** Reads and writes whole rows of {@code job_schedules} in an open transaction. */
final class ScheduleTable {

  private final Statement<NoRequest, Instant> clock;
  private final Statement<Collection<String>, StoredRow> lock;
  private final Statement<Collection<StoredSchedule>, String> insert;
  private final Statement<Collection<StoredSchedule>, String> replace;
  private final Statement<Collection<String>, String> touch;
  private final Statement<Collection<String>, String> pause;
  private final Statement<Collection<String>, String> delete;

  ScheduleTable(Lazy<DSLContext> dialect) {
    this.clock =
        Statement.lazily(
            () ->
                Statement.of(
                    dialect.get(),
                    select(DatabaseClock.NOW),
                    row -> row.instant(DatabaseClock.NOW)));
    this.lock = Statement.lazily(() -> LockSchedulesStatement.of(dialect.get()));
    this.insert = Statement.lazily(() -> WriteSchedulesStatement.insert(dialect.get()));
    this.replace = Statement.lazily(() -> WriteSchedulesStatement.replace(dialect.get()));
    this.touch = Statement.lazily(() -> WriteSchedulesStatement.touch(dialect.get()));
    this.pause = Statement.lazily(() -> WriteSchedulesStatement.pause(dialect.get()));
    this.delete = Statement.lazily(() -> WriteSchedulesStatement.delete(dialect.get()));
  }

  /**
   * Schedules that are locked until the transaction ends.
   *
   * @param unreadable those that cannot be read
   * @param now the time by the database's clock after the locks were taken
   */
  record Locked(
      Map<String, StoredSchedule> schedules, Map<String, UnreadableRow> unreadable, Instant now) {}

  Locked lock(Session session, Collection<String> names) throws SQLException {
    Map<String, StoredSchedule> schedules = new TreeMap<>();
    Map<String, UnreadableRow> unreadable = new TreeMap<>();
    for (StoredRow row : session.run(lock, names)) {
      if (row instanceof StoredSchedule schedule) {
        schedules.put(row.name(), schedule);
      } else if (row instanceof UnreadableRow odd) {
        unreadable.put(row.name(), odd);
      }
    }
    return new Locked(schedules, unreadable, session.run(clock, NoRequest.NONE).get(0));
  }

  /** Inserts schedules. Returns the names of those that did not exist. */
  List<String> insert(Session session, Collection<StoredSchedule> schedules) throws SQLException {
    return schedules.isEmpty() ? List.of() : session.run(insert, schedules);
  }

  void replace(Session session, Collection<StoredSchedule> schedules) throws SQLException {
    if (!schedules.isEmpty()) {
      session.run(replace, schedules);
    }
  }

  void touch(Session session, Collection<String> names) throws SQLException {
    if (!names.isEmpty()) {
      session.run(touch, names);
    }
  }

  /** Pauses schedules whose rows need not be readable. */
  void pause(Session session, Collection<String> names) throws SQLException {
    session.run(pause, names);
  }

  void delete(Session session, Collection<String> names) throws SQLException {
    session.run(delete, names);
  }
}
