package dev.skipjack.handlers;

import dev.skipjack.api.JobType;
import dev.skipjack.worker.JobContext;
import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Marks a method that runs the jobs of one kind.
 *
 * <p>The method takes the payload and, optionally, a {@link JobContext} and what modules add, such
 * as the {@code Steps} of skipjack-steps, in any order. A method with {@link JobSchedule}, or whose
 * {@link JobType} is declared, need not take the payload. A method that returns {@code void}
 * completes the job. An {@link dev.skipjack.api.Outcome} or a {@code CompletionStage<Outcome>} is
 * the outcome of the attempt. Any other value is stored as the result of the completed job. An
 * exception fails the attempt. The method must be neither private nor static.
 *
 * <p>Code that enqueues the jobs uses a {@link JobType}, and the handler must use the same. The
 * type is found if it is declared through {@link JobHandlers.Builder#type}, or in a {@code static
 * final} field of the handler's class, its superclasses or interfaces, or of one of the {@link
 * #types}. If none of these declares the kind, such fields are searched in the payload class, and
 * in the classes that enclose it or the handler's class.
 *
 * <p>If no type of the kind is found, the attributes of this annotation and the class of the
 * payload parameter define it. An annotation with only the {@link #value} is rejected in this case.
 * Set {@link #kind} or another attribute to define the type in the annotation.
 */
@Documented
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
public @interface JobHandler {

  /**
   * {@return the kind of the jobs, whose {@link JobType} is declared elsewhere} Set either this
   * attribute or {@link #kind}.
   */
  String value() default "";

  /**
   * {@return the kind of the jobs} This annotation defines their type unless it is declared
   * elsewhere.
   */
  String kind() default "";

  /**
   * {@return classes whose static final fields are searched for the {@link JobType} of the kind}
   */
  Class<?>[] types() default {};

  /**
   * {@return the queue of the jobs, as for {@link JobType#onQueue}} Default: {@value
   * JobType#DEFAULT_QUEUE}.
   */
  String queue() default "";

  /**
   * {@return the maximum number of attempts, as for {@link JobType#maxAttempts}} Default: the
   * maximum of the queue.
   */
  int maxAttempts() default 0;

  /**
   * {@return the timeout of an attempt: a whole number followed by {@code ms}, {@code s}, {@code
   * m}, {@code h} or {@code d}, as in {@code 30s}, or an ISO 8601 duration, as in {@code PT1M30S}}
   * Default: no timeout.
   */
  String timeout() default "";

  /**
   * {@return whether the worker calls the method in a transaction that also completes the job} The
   * rows that the method writes in this transaction and the completion then commit together or not
   * at all. After any outcome other than completion, and after an exception, the transaction is
   * rolled back.
   *
   * <p>Requires {@link JobHandlers.Builder#transactions}, which the modules for frameworks call
   * with the framework's transactions. The method must not be asynchronous. Default: false, which
   * means that the method is called outside any transaction.
   */
  boolean transactional() default false;
}
