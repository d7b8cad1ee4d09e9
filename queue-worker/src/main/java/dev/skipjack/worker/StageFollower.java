package dev.skipjack.worker;

import dev.skipjack.api.Outcome;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Waits for the stages that asynchronous handlers return, without occupying a thread. */
final class StageFollower {

  private final WorkerThreads threads;

  StageFollower(WorkerThreads threads) {
    this.threads = threads;
  }

  /**
   * Releases the calling thread from the attempt, and continues when the stage completes.
   *
   * @param then called once, in any thread, when the stage completes or the attempt must end; its
   *     argument supplies the result, and may throw an exception
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

  /**
   * Cancels the stage in another thread, because cancelling it runs the user's callbacks, which may
   * block.
   */
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
