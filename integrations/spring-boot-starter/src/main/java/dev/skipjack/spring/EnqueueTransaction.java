package dev.skipjack.spring;

/** Determines how {@link Jobs} uses the transaction of its caller. */
public enum EnqueueTransaction {
  /**
   * Enqueues in the caller's transaction, so that the job is committed or rolled back with it. If
   * the caller has no transaction on the queue's data source, enqueues in a transaction of its own.
   * A job that a callback enqueues after the end of a transaction is committed when all callbacks
   * have returned.
   */
  JOIN,

  /**
   * Enqueues in the caller's transaction, and throws an exception if there is none or it has ended.
   */
  MANDATORY,

  /** Always enqueues in a transaction of its own, which has been committed on return. */
  OWN
}
