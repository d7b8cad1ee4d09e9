package dev.skipjack.observation;

import dev.skipjack.api.Outcome;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The outcome of an asynchronous handler, which is observed before the worker receives it. If it is
 * cancelled, the observation ends even if the handler's stage cannot be cancelled. As with any
 * {@link CompletableFuture}, a stage that an interceptor derives from it does not pass on a
 * cancellation.
 */
final class ObservedStage extends CompletableFuture<@Nullable Outcome> {

  private final CompletionStage<? extends @Nullable Outcome> stage;
  private final BiConsumer<@Nullable Outcome, @Nullable Throwable> observation;
  private final AtomicBoolean ended = new AtomicBoolean();

  private ObservedStage(
      CompletionStage<? extends @Nullable Outcome> stage,
      BiConsumer<@Nullable Outcome, @Nullable Throwable> observation) {
    this.stage = stage;
    this.observation = observation;
  }

  /**
   * Returns an outcome with the same result.
   *
   * @param observation called once, when the stage has completed or the outcome was cancelled; one
   *     of its arguments is null, or both if the stage has supplied null
   */
  static Outcome of(
      Outcome.Async async, BiConsumer<@Nullable Outcome, @Nullable Throwable> observation) {
    ObservedStage observed = new ObservedStage(async.stage(), observation);
    try {
      CompletionStage<?> unused = async.stage().whenComplete(observed::end);
    } catch (Throwable broken) { // the stage may be the user's own implementation
      observed.end(null, broken);
    }
    return Outcome.async(observed);
  }

  private void end(@Nullable Outcome outcome, @Nullable Throwable failure) {
    if (!ended.compareAndSet(false, true)) {
      return;
    }
    try {
      observation.accept(outcome, failure);
    } finally {
      if (failure == null) {
        complete(outcome);
      } else {
        completeExceptionally(failure);
      }
    }
  }

  @Override
  public boolean cancel(boolean mayInterrupt) {
    try {
      stage.toCompletableFuture().cancel(mayInterrupt);
    } catch (Throwable notPossible) {
      // Nothing waits for the stage.
    }
    end(null, new CancellationException("The attempt was ended."));
    return isCancelled();
  }
}
