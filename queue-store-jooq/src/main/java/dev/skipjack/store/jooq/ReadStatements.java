package dev.skipjack.store.jooq;

import dev.skipjack.store.jooq.spi.HotStatement;
import org.jooq.DSLContext;

/** The reader's statements, rendered once for a schema. */
final class ReadStatements {

  final HotStatement find;
  final HotStatement executions;
  final HotStatement listLive;
  final HotStatement listRunning;
  final HotStatement listWaiting;
  final HotStatement listDead;
  final HotStatement listDue;
  final HotStatement listArchived;
  final HotStatement counts;
  final HotStatement countSample;
  final HotStatement oldestPending;
  final HotStatement deadLetters;
  final HotStatement queueSettings;
  final HotStatement workers;

  ReadStatements(String schema) {
    DSLContext dsl = StatementDialect.forSchema(schema);
    find = HotStatement.render(dsl, FindStatement.query());
    executions = HotStatement.render(dsl, ExecutionsStatement.query());
    listLive = HotStatement.render(dsl, ListLiveStatement.query());
    listRunning = HotStatement.render(dsl, ListFewStatement.running());
    listWaiting = HotStatement.render(dsl, ListFewStatement.waiting());
    listDead = HotStatement.render(dsl, ListDeadStatement.query());
    listDue = HotStatement.render(dsl, ListDueStatement.query());
    listArchived = HotStatement.render(dsl, ListArchivedStatement.query());
    counts = HotStatement.render(dsl, CountsStatement.query());
    countSample = HotStatement.render(dsl, CountSampleStatement.query(dsl));
    oldestPending = HotStatement.render(dsl, OldestPendingStatement.query());
    deadLetters = HotStatement.render(dsl, DeadLettersStatement.query());
    queueSettings = HotStatement.render(dsl, QueueSettingsStatement.query());
    workers = HotStatement.render(dsl, WorkersStatement.query());
  }
}
