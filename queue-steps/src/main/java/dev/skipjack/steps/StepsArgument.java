package dev.skipjack.steps;

import dev.skipjack.handlers.spi.HandlerArgument;
import dev.skipjack.worker.JobContext;
import java.util.Optional;

/** Passes {@link Steps} to handler methods. Public for {@link java.util.ServiceLoader} only. */
public final class StepsArgument implements HandlerArgument<Steps> {

  /** Creates the provider. */
  public StepsArgument() {}

  @Override
  public Class<Steps> type() {
    return Steps.class;
  }

  @Override
  public Steps of(JobContext job) {
    return Steps.of(job);
  }

  @Override
  public Optional<String> refusalInTransaction() {
    return Optional.of(
        "It cannot take Steps, because its transaction would be rolled back when its job is suspended. Remove transactional = true, and use runIn for the steps that write rows.");
  }
}
