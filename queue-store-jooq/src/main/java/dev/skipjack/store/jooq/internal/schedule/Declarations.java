package dev.skipjack.store.jooq.internal.schedule;

import dev.skipjack.api.schedule.Schedule;
import dev.skipjack.api.schedule.ScheduleOrigin;
import dev.skipjack.sql.Chunks;
import dev.skipjack.sql.OwnTransactions;
import dev.skipjack.sql.Session;
import dev.skipjack.store.jooq.internal.QueueExtension.JobFactory;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes declarations of schedules. Changes that operators made at run time are kept, unless the
 * declaration is authoritative.
 *
 * <p>Planned times are calculated without the predicates that exclude dates, because they are code
 * of the application and may hang while this class holds locks. The worker that fires a schedule
 * calls the predicates.
 */
final class Declarations {

  private static final Logger LOG = LoggerFactory.getLogger(Declarations.class);

  private static final int LARGEST = 500;

  /**
   * The maximum number of tries. Each retry means that another process has inserted one of the
   * schedules.
   */
  private static final int MOST_TRIES = 10;

  /** The age at which the record of the last declaration is renewed. */
  private static final Duration RENEWED_AFTER = Duration.ofHours(1);

  private final OwnTransactions transactions;
  private final ScheduleTable table;
  private final JobFactory jobs;

  Declarations(OwnTransactions transactions, ScheduleTable table, JobFactory jobs) {
    this.transactions = transactions;
    this.table = table;
    this.jobs = jobs;
  }

  /**
   * Declares schedules.
   *
   * @return whether any of them was created or changed
   * @throws IllegalArgumentException if two of them have the same name
   */
  boolean declare(Collection<Schedule> schedules) {
    Map<String, Declaration> byName = new TreeMap<>();
    for (Schedule schedule : schedules) {
      if (byName.put(schedule.name(), Declaration.of(schedule, jobs)) != null) {
        throw new IllegalArgumentException(
            "Schedule '%s' is declared twice. Give each schedule a name of its own."
                .formatted(schedule.name()));
      }
    }
    boolean changed = false;
    for (List<Declaration> chunk :
        Chunks.of(List.copyOf(byName.values()), LARGEST, Declarations::size)) {
      changed |= transactions.inOne(session -> declare(session, chunk));
    }
    return changed;
  }

  private static void skip(UnreadableRow odd) {
    LOG.warn(
        "Schedule not declared because its row cannot be read, remove or correct the row schedule={} reason={}",
        odd.name(),
        odd.reason());
  }

  private static long size(Declaration declaration) {
    String payload = declaration.definition().job().payload();
    return payload == null ? 0 : payload.length();
  }

  private boolean declare(Session session, List<Declaration> declarations) throws SQLException {
    boolean changed = false;
    List<Declaration> open = declarations;
    for (int i = 0; i < MOST_TRIES && !open.isEmpty(); i++) {
      ScheduleTable.Locked locked =
          table.lock(session, open.stream().map(one -> one.schedule().name()).toList());
      List<StoredSchedule> created = new ArrayList<>();
      List<StoredSchedule> replaced = new ArrayList<>();
      List<String> seen = new ArrayList<>();
      for (Declaration declaration : open) {
        UnreadableRow odd = locked.unreadable().get(declaration.schedule().name());
        if (odd != null) {
          skip(odd); // workers report it; the other schedules are declared
          continue;
        }
        StoredSchedule stored = locked.schedules().get(declaration.schedule().name());
        if (stored == null) {
          created.add(created(declaration, locked.now()));
        } else {
          StoredSchedule wanted;
          try {
            wanted = merged(stored, declaration, locked.now());
          } catch (RuntimeException unusable) { // an operator's timing that this JVM cannot use
            skip(UnreadableRow.of(stored, String.valueOf(unusable.getMessage())));
            continue;
          }
          if (!wanted.equals(stored)) {
            replaced.add(wanted.seen(locked.now()));
          } else if (isOld(stored.source().declaredAt(), locked.now())) {
            seen.add(stored.name());
          }
        }
      }
      table.replace(session, replaced);
      table.touch(session, seen);
      List<String> inserted = table.insert(session, created);
      changed |= !replaced.isEmpty() || !inserted.isEmpty();
      // Another process has inserted the others, and the next try merges the declarations into
      // them.
      List<String> met =
          created.stream()
              .map(StoredSchedule::name)
              .filter(name -> !inserted.contains(name))
              .toList();
      open = open.stream().filter(one -> met.contains(one.schedule().name())).toList();
    }
    return changed;
  }

  private static boolean isOld(@Nullable Instant declaredAt, Instant now) {
    return declaredAt == null || declaredAt.plus(RENEWED_AFTER).isBefore(now);
  }

  private StoredSchedule created(Declaration declaration, Instant now) {
    return created(declaration, source(declaration, now, null), now);
  }

  private StoredSchedule created(
      Declaration declaration, StoredSchedule.Source source, Instant now) {
    return new StoredSchedule(
            declaration.schedule().name(),
            declaration.definition(),
            source,
            StoredSchedule.Progress.NONE,
            StoredSchedule.Failures.NONE,
            null,
            now,
            now)
        .firingNext(declaration.definition().timing().timing(), now, zoneRules(declaration));
  }

  private static StoredSchedule.Source source(
      Declaration declaration, Instant declaredAt, @Nullable Instant timingChangedAt) {
    return new StoredSchedule.Source(
        ScheduleOrigin.CODE,
        declaration.schedule().isAuthoritative(),
        declaration.hash(),
        declaredAt,
        timingChangedAt);
  }

  /**
   * Returns {@code stored} with the changes of the declaration, or the same object if there are
   * none.
   */
  private StoredSchedule merged(StoredSchedule stored, Declaration declaration, Instant now) {
    StoredTiming declared = declaration.definition().timing();
    Instant changedAt = stored.source().timingChangedAt();
    boolean authoritative = declaration.schedule().isAuthoritative();
    boolean keepsTiming =
        changedAt != null && !authoritative && !declared.equals(stored.definition().timing());
    boolean same =
        declaration.hash().equals(stored.source().declaration())
            && (changedAt == null || keepsTiming)
            && (!authoritative || stored.pausedAt() == null);
    if (same) {
      return stored;
    }
    StoredTiming timing = keepsTiming ? stored.definition().timing() : declared;
    StoredSchedule merged =
        stored.with(
            declaration.definition().with(timing),
            source(declaration, now, keepsTiming ? changedAt : null),
            now);
    if (authoritative && stored.pausedAt() != null) {
      if (timing.equals(stored.definition().timing())) {
        return merged.resumed(timing.timing(), now, zoneRules(declaration));
      }
      merged = merged.paused(null, now);
    } else if (timing.equals(stored.definition().timing())) {
      // Only the jitter may have changed, so the next planned time remains, even if it was missed.
      return merged.dueAgain();
    }
    Instant next = stored.progress().nextAt();
    if (stored.pausedAt() == null && next != null && !next.isAfter(now)) {
      // It is already due: the worker that fires the schedule checks it against the new timing.
      return merged.movedTo(next, zoneRules(declaration));
    }
    return merged.firingNext(timing.timing(), now, zoneRules(declaration));
  }

  private static @Nullable String zoneRules(Declaration declaration) {
    return ZoneRules.of(declaration.schedule().timing());
  }

  /** Adds an operator's schedule. Returns whether the name was free. */
  boolean add(Schedule schedule) {
    Declaration declaration = Declaration.of(schedule, jobs);
    return transactions.inOne(
        session -> {
          ScheduleTable.Locked locked = table.lock(session, List.of(schedule.name()));
          return locked.schedules().isEmpty()
              && locked.unreadable().isEmpty()
              && !table
                  .insert(
                      session,
                      List.of(created(declaration, StoredSchedule.Source.OPERATOR, locked.now())))
                  .isEmpty();
        });
  }

  /** Records that a running program declares schedules. */
  void touch(Collection<String> names) {
    transactions.inOne(
        session -> {
          table.touch(session, names);
          return true;
        });
  }
}
