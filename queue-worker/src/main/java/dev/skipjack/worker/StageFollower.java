package dev.skipjack.worker;

import dev.skipjack.api.Outcome;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Follows the stages that asynchronous handlers return, without keeping a thread. */
final class StageFollower {

  private final WorkerThreads threads;

  StageFollower(WorkerThreads threads) {
    this.threads = threads;
  }

  /**
   * Unbinds the calling thread from the attempt.
   *
   * @param then called once, in any thread, when the stage completes or the attempt must end. It
   *     asks for the result itself, so that it also handles an error in making it
   */
  void follow(
      Attempt attempt,
      CompletionStage<? extends @Nullable Outcome> stage,
      Consumer<Supplier<RunResult>> then) {
    CompletableFuture<@Nullable Outcome> answer = new CompletableFuture<>();
    CompletableFuture<?> unused =
        answer.whenComplete((outcome, thrown) -> then.accept(() -> resultOf(outcome, thrown)));
    attempt.detach(() -> cancelElsewhere(stage, answer));
    try {
      CompletionStage<?> ignored =
          stage.whenComplete(
              (outcome, thrown) -> {
                if (thrown != null) {
                  answer.completeExceptionally(thrown);
                } else {
                  answer.complete(outcome);
                }
              });
    } catch (Throwable broken) { // the stage may be the user's own implementation
      answer.completeExceptionally(broken);
    }
  }

  private static RunResult resultOf(@Nullable Outcome outcome, @Nullable Throwable thrown) {
    if (thrown == null) {
      return new RunResult.Returned(outcome);
    }
    return new RunResult.Threw(
        thrown instanceof CompletionException && thrown.getCause() != null
            ? thrown.getCause()
            : thrown);
  }

  /** Runs in its own thread, because cancelling runs the user's callbacks, which may block. */
  private void cancelElsewhere(
      CompletionStage<?> stage, CompletableFuture<@Nullable Outcome> answer) {
    try {
      threads.start("canceller", () -> cancel(stage, answer));
    } catch (Throwable noThread) {
      answer.completeExceptionally(ended());
    }
  }

  private static void cancel(
      CompletionStage<?> stage, CompletableFuture<@Nullable Outcome> answer) {
    try {
      stage.toCompletableFuture().cancel(true);
    } catch (Throwable notPossible) {
      // Whether the stage can be cancelled or not, it is no longer awaited.
    }
    answer.completeExceptionally(ended());
  }

  private static CancellationException ended() {
    return new CancellationException("The attempt was ended.");
  }
}
