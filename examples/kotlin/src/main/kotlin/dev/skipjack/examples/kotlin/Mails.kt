package dev.skipjack.examples.kotlin

import dev.skipjack.api.JobType
import dev.skipjack.api.Outcome
import dev.skipjack.handlers.JobHandler
import dev.skipjack.worker.JobContext
import java.time.Duration

// snippet: handlers
data class SendWelcome(val user: String, val language: String = "en")

data class SendInvoice(val number: String, val cents: Long, val copies: List<String> = emptyList())

/** Sends mails, in jobs. */
class Mails(private val server: MailServer) {

  companion object {
    val SEND_WELCOME: JobType<SendWelcome> =
      JobType.of("send-welcome", SendWelcome::class.java).onQueue("emails").maxAttempts(8)
  }

  @JobHandler("send-welcome")
  fun welcome(mail: SendWelcome) {
    server.send(mail.user, if (mail.language == "de") "Willkommen" else "Welcome")
  }

  @JobHandler(kind = "send-invoice", queue = "emails")
  fun invoice(mail: SendInvoice, context: JobContext): Outcome {
    if (server.isBusy()) {
      return Outcome.snooze(Duration.ofMinutes(5))
    }
    mail.copies.forEach { server.send(it, "Invoice ${mail.number}, attempt ${context.attempt()}") }
    return Outcome.completed()
  }
}
// end of snippet

/** The mail server of the example. */
interface MailServer {
  fun isBusy(): Boolean

  fun send(to: String, text: String)
}
