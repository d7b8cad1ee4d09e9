package dev.skipjack.outbox.http;

import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.BodySubscriber;
import java.net.http.HttpResponse.ResponseInfo;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import org.jspecify.annotations.Nullable;

/**
 * Receives the status and headers of a response. The body is discarded, so an endless or broken
 * body cannot affect the result. Up to 64 KiB of it are read, so that the connection can be used
 * again after a short body.
 */
final class DiscardedBody implements BodyHandler<@Nullable Void>, BodySubscriber<@Nullable Void> {

  private static final int MOST_BYTES = 65_536;

  private final CompletableFuture<@Nullable Void> end = new CompletableFuture<>();
  private volatile @Nullable ResponseInfo info;
  private volatile Flow.@Nullable Subscription subscription;
  private int bytes;

  /** Returns status and headers, or null if they have not arrived. */
  @Nullable ResponseInfo info() {
    return info;
  }

  void cancel() {
    Flow.Subscription reading = subscription;
    if (reading != null) {
      reading.cancel();
    }
    end.complete(null);
  }

  @Override
  public BodySubscriber<@Nullable Void> apply(ResponseInfo info) {
    this.info = info;
    return this;
  }

  @Override
  public CompletionStage<@Nullable Void> getBody() {
    return end;
  }

  @Override
  public void onSubscribe(Flow.Subscription subscription) {
    this.subscription = subscription;
    subscription.request(1);
  }

  @Override
  public void onNext(List<ByteBuffer> buffers) {
    for (ByteBuffer buffer : buffers) {
      bytes += buffer.remaining();
    }
    Flow.Subscription reading = subscription;
    if (bytes > MOST_BYTES || reading == null) {
      cancel();
    } else {
      reading.request(1);
    }
  }

  @Override
  public void onError(Throwable failure) {
    end.complete(null);
  }

  @Override
  public void onComplete() {
    end.complete(null);
  }
}
