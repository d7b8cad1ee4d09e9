package dev.skipjack.cli;

import dev.skipjack.api.JobId;
import dev.skipjack.steps.SignalOptions;
import dev.skipjack.steps.SignalResult;
import dev.skipjack.steps.Signals;
import dev.skipjack.store.jooq.JobQueue;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code skipjack signals}. */
@Command(
    name = "signals",
    description = "Send signals to jobs that wait for them.",
    subcommands = SignalsCommand.Send.class)
final class SignalsCommand extends CommandGroup {

  /** {@code skipjack signals send}. */
  @Command(
      name = "send",
      description = {
        "Send a signal to a job, or to the job that waits for a key. A job that waits for it is due at once.",
        "Without a job that waits, the signal is kept for 30 days. SKIPJACK_ACTOR, or user and host, is recorded as its sender."
      })
  static final class Send extends QueueAction {

    private final Environment environment;

    @Parameters(
        paramLabel = "ARGUMENT",
        arity = "1..3",
        description =
            "Id of the job, unless --key is given; name of the signal; and its payload as JSON, by default {}.")
    private List<String> arguments = List.of();

    @Option(names = "--key", paramLabel = "KEY", description = "Send it to this key, not to a job.")
    private @Nullable String key;

    Send(Environment environment) {
      super(Access.WRITE);
      this.environment = environment;
    }

    @Override
    void check() {
      int names = key == null ? 2 : 1;
      if (arguments.size() < names || arguments.size() > names + 1) {
        throw CommandFailure.input(
            "Give %s the name of the signal and, if it has one, its payload."
                .formatted(key == null ? "the id of a job or --key," : "only"));
      }
      if (key == null) {
        job();
      }
    }

    private JobId job() {
      String id = arguments.get(0);
      try {
        return new JobIdText().convert(id);
      } catch (RuntimeException invalid) {
        throw CommandFailure.input(
            "'%s' is not the id of a job. Give an id, or a key with --key.".formatted(id));
      }
    }

    @Override
    int run(JobQueue queue, Output output) {
      int first = key == null ? 1 : 0;
      String name = arguments.get(first);
      String payload = arguments.size() > first + 1 ? arguments.get(first + 1) : "{}";
      UnaryOperator<SignalOptions> sender = options -> options.sentBy(environment.actor());
      Signals signals = Signals.on(queue);
      SignalResult result =
          key == null
              ? signals.send(job(), name, payload, sender)
              : signals.sendToKey(key, name, payload, sender);
      Map<String, @Nullable Object> members = new LinkedHashMap<>();
      members.put("signal", name);
      members.put("result", result);
      output.done(
          switch (result) {
            case WOKEN -> "Sent the signal '%s'; the job that waits for it is due.".formatted(name);
            case STORED ->
                "Stored the signal '%s'; no suspended job waits for it now.".formatted(name);
            default ->
                "Job %s has ended or never existed, so nothing was sent."
                    .formatted(arguments.get(0));
          },
          members);
      return result == SignalResult.ENDED ? ExitCodes.NOTHING_MATCHED : ExitCodes.DONE;
    }
  }
}
