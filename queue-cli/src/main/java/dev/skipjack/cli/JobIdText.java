package dev.skipjack.cli;

import dev.skipjack.api.JobId;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

final class JobIdText implements ITypeConverter<JobId> {

  @Override
  public JobId convert(String text) {
    try {
      return new JobId(Long.parseLong(text));
    } catch (NumberFormatException noId) {
      throw new TypeConversionException(
          "'%s' is not the id of a job, which is a number.".formatted(text));
    }
  }
}
