package dev.skipjack.store.jooq;

import static dev.skipjack.model.Tables.JOB_QUEUES;

import dev.skipjack.store.jooq.spi.HotStatement;
import org.jooq.DSLContext;

/** The store's statements, rendered once for a schema. */
final class Statements {

  final HotStatement enqueue;
  final HotStatement enqueueOne;
  final HotStatement enqueueOnce;
  final HotStatement dueLanes;
  final HotStatement claim;
  final HotStatement claimWithoutPayload;
  final HotStatement heartbeat;
  final HotStatement progress;
  final HotStatement cancelRequested;
  final OutcomeStatement complete;
  final OutcomeStatement completeIn;
  final OutcomeStatement completeInWithResult;
  final OutcomeStatement conclude;
  final OutcomeStatement fail;
  final OutcomeStatement giveBack;
  final OutcomeStatement attemptStatus;
  final HotStatement rescue;
  final HotStatement firstExpired;
  final HotStatement oldestRunning;
  final HotStatement readClock;
  final HotStatement createPartition;
  final HotStatement findPartitions;
  final HotStatement findRunning;
  final HotStatement readCutoffs;
  final HotStatement readDeadCutoffs;
  final HotStatement pruneKeys;
  final HotStatement sweepArchive;
  final HotStatement announce;
  final HotStatement removeWorker;
  final HotStatement removeSilentWorkers;

  Statements(String schema) {
    DSLContext dsl = StatementDialect.forSchema(schema);
    enqueue = HotStatement.render(dsl, EnqueueStatement.query());
    enqueueOne = HotStatement.render(dsl, EnqueueStatement.queryForOne());
    enqueueOnce = HotStatement.render(dsl, EnqueueOnceStatement.query());
    dueLanes = HotStatement.render(dsl, DueLanesStatement.query());
    claim = HotStatement.render(dsl, ClaimStatement.query());
    claimWithoutPayload = HotStatement.render(dsl, ClaimStatement.queryWithoutPayload());
    heartbeat = HotStatement.render(dsl, HeartbeatStatement.query());
    progress = HotStatement.render(dsl, ProgressStatement.query());
    cancelRequested = HotStatement.render(dsl, CancelRequestedStatement.query());
    complete = new OutcomeStatement(dsl, CompleteStatement::query);
    completeIn = new OutcomeStatement(dsl, CompleteStatement::queryForOne);
    completeInWithResult = new OutcomeStatement(dsl, ConcludeStatement::queryForOne);
    conclude = new OutcomeStatement(dsl, ConcludeStatement::query);
    fail = new OutcomeStatement(dsl, FailStatement::query);
    giveBack = new OutcomeStatement(dsl, GiveBackStatement::query);
    attemptStatus = new OutcomeStatement(dsl, AttemptStatusStatement::query);
    rescue = HotStatement.render(dsl, RescueStatement.query());
    firstExpired = HotStatement.render(dsl, RescueStatement.firstQuery());
    oldestRunning = HotStatement.render(dsl, RescueStatement.oldestRunningQuery());
    readClock = HotStatement.render(dsl, ReadClockStatement.query());
    createPartition = HotStatement.render(dsl, CreatePartitionStatement.query());
    findPartitions = HotStatement.render(dsl, FindPartitionsStatement.query(schema));
    findRunning = HotStatement.render(dsl, FindRunningStatement.query());
    readCutoffs =
        HotStatement.render(dsl, ReadCutoffsStatement.query(JOB_QUEUES.ARCHIVE_RETENTION));
    readDeadCutoffs =
        HotStatement.render(dsl, ReadCutoffsStatement.query(JOB_QUEUES.DEAD_RETENTION));
    pruneKeys = HotStatement.render(dsl, PruneKeysStatement.query());
    sweepArchive = HotStatement.render(dsl, SweepArchiveStatement.query());
    announce = HotStatement.render(dsl, AnnounceStatement.query());
    removeWorker = HotStatement.render(dsl, RemoveWorkersStatement.queryForOne());
    removeSilentWorkers = HotStatement.render(dsl, RemoveWorkersStatement.queryForSilent());
  }
}
