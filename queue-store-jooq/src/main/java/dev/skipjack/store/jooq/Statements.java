package dev.skipjack.store.jooq;

import dev.skipjack.store.jooq.internal.sql.StatementDialect;
import dev.skipjack.store.jooq.internal.sql.StatementText;
import org.jooq.DSLContext;

/** The store's statements, rendered once for a schema. */
final class Statements {

  final StatementText dueLanes;
  final StatementText claim;
  final StatementText claimWithoutPayload;
  final StatementText heartbeat;
  final StatementText progress;
  final StatementText cancelRequested;
  final OutcomeStatement complete;
  final OutcomeStatement completeIn;
  final OutcomeStatement completeInWithResult;
  final OutcomeStatement conclude;
  final OutcomeStatement fail;
  final OutcomeStatement giveBack;
  final OutcomeStatement attemptStatus;
  final StatementText rescue;
  final StatementText firstExpired;
  final StatementText oldestRunning;
  final StatementText announce;
  final StatementText removeWorker;
  final StatementText removeSilentWorkers;

  Statements(String schema) {
    DSLContext dsl = StatementDialect.forSchema(schema);
    dueLanes = StatementText.render(dsl, DueLanesStatement.query());
    claim = StatementText.render(dsl, ClaimStatement.query());
    claimWithoutPayload = StatementText.render(dsl, ClaimStatement.queryWithoutPayload());
    heartbeat = StatementText.render(dsl, HeartbeatStatement.query());
    progress = StatementText.render(dsl, ProgressStatement.query());
    cancelRequested = StatementText.render(dsl, CancelRequestedStatement.query());
    complete = new OutcomeStatement(dsl, CompleteStatement::query);
    completeIn = new OutcomeStatement(dsl, CompleteStatement::queryForOne);
    completeInWithResult = new OutcomeStatement(dsl, ConcludeStatement::queryForOne);
    conclude = new OutcomeStatement(dsl, ConcludeStatement::query);
    fail = new OutcomeStatement(dsl, FailStatement::query);
    giveBack = new OutcomeStatement(dsl, GiveBackStatement::query);
    attemptStatus = new OutcomeStatement(dsl, AttemptStatusStatement::query);
    rescue = StatementText.render(dsl, RescueStatement.query());
    firstExpired = StatementText.render(dsl, RescueStatement.firstQuery());
    oldestRunning = StatementText.render(dsl, RescueStatement.oldestRunningQuery());
    announce = StatementText.render(dsl, AnnounceStatement.query());
    removeWorker = StatementText.render(dsl, RemoveWorkersStatement.queryForOne());
    removeSilentWorkers = StatementText.render(dsl, RemoveWorkersStatement.queryForSilent());
  }
}
