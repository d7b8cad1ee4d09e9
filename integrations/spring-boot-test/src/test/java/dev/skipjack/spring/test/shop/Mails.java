package dev.skipjack.spring.test.shop;

import dev.skipjack.api.JobType;
import dev.skipjack.api.Outcome;
import dev.skipjack.handlers.JobHandler;
import dev.skipjack.worker.JobContext;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.springframework.stereotype.Component;

/** Sends a mail, or fails in the way that the name of the user determines. */
@Component
class Mails {

  static final JobType<SendWelcome> SEND_WELCOME =
      JobType.of("send-welcome", SendWelcome.class).onQueue("emails").maxAttempts(3);

  private final List<String> sent = new CopyOnWriteArrayList<>();

  @JobHandler("send-welcome")
  Outcome send(SendWelcome mail, JobContext context) throws IOException {
    switch (mail.user()) {
      case "bounces-once" -> {
        if (context.attempt() == 1) {
          throw new IOException("mailbox is full");
        }
      }
      case "bounces" -> throw new IOException("mailbox is full");
      case "sleeps-once" -> {
        if (context.attempt() == 1 && context.uncountedAttempts() == 0) {
          return Outcome.snooze(Duration.ofHours(8));
        }
      }
      case "is-unknown" -> {
        return Outcome.dead("no such user");
      }
      default -> {}
    }
    sent.add(mail.user());
    return Outcome.completed();
  }

  List<String> sent() {
    return sent;
  }
}
