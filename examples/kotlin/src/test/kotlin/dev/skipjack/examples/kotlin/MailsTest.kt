package dev.skipjack.examples.kotlin

import dev.skipjack.api.JobType
import dev.skipjack.handlers.JobHandler
import dev.skipjack.handlers.JobHandlers
import dev.skipjack.store.jooq.JobQueue
import dev.skipjack.testkit.JobRuns
import dev.skipjack.testkit.QueueAssertions.assertThat
import dev.skipjack.testkit.QueueDatabase
import dev.skipjack.testkit.QueueTest
import dev.skipjack.worker.Worker
import java.time.Duration
import org.assertj.core.api.Assertions.assertThat
import org.assertj.core.api.Assertions.assertThatIllegalArgumentException
import org.junit.jupiter.api.Test

@QueueTest
class MailsTest(private val database: QueueDatabase) {

  private val sent = mutableListOf<String>()
  private var busy = false
  private val queue = JobQueue.on(database.dataSource())
  private val invoices = JobType.of("send-invoice", SendInvoice::class.java).onQueue("emails")

  @Test
  fun aWelcomeIsSentInTheLanguageOfTheUser() {
    queue.enqueue(Mails.SEND_WELCOME, SendWelcome("ada"))
    queue.enqueue(Mails.SEND_WELCOME, SendWelcome("emmy", "de"))

    assertThat(JobRuns.with(worker(), database).due()).isEqualTo(2)

    assertThat(sent).containsExactlyInAnyOrder("ada: Welcome", "emmy: Willkommen")
  }

  /** A producer of an earlier version does not set the property. */
  @Test
  fun aMissingPropertyHasItsDefault() {
    val older = JobType.of("send-welcome", Map::class.java).onQueue("emails")
    queue.enqueue(older, mapOf("user" to "ada"))

    JobRuns.with(worker(), database).due()

    assertThat(sent).containsExactly("ada: Welcome")
  }

  @Test
  fun anInvoiceWaitsForABusyServer() {
    queue.enqueue(invoices, SendInvoice("A-1", 1_999, listOf("ada", "emmy")))
    val runs = JobRuns.with(worker(), database)

    busy = true
    runs.due()
    assertThat(database).hasEnqueued(invoices).onlyJob().isDueIn(Duration.ofMinutes(5))

    busy = false
    runs.dueWithin(Duration.ofMinutes(5))
    assertThat(database).hasEnqueued(invoices).onlyJob().isCompleted()
    assertThat(sent).containsExactly("ada: Invoice A-1, attempt 1", "emmy: Invoice A-1, attempt 1")
  }

  @Test
  fun aSuspendingFunctionIsRejected() {
    class Suspending {
      @JobHandler("suspend") @Suppress("unused") suspend fun run(mail: SendWelcome) = Unit
    }

    assertThatIllegalArgumentException()
      .isThrownBy { JobHandlers.of(Suspending()) }
      .withMessageContaining("has 2 parameters")
  }

  private fun worker(): Worker {
    val server =
      object : MailServer {
        override fun isBusy() = busy

        override fun send(to: String, text: String) {
          sent += "$to: $text"
        }
      }
    val builder = Worker.on(queue).queue("emails", 1)
    JobHandlers.of(Mails(server)).addTo(builder)
    return builder.build()
  }
}
