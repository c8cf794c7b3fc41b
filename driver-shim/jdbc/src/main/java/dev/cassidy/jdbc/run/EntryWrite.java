package dev.cassidy.jdbc.run;

/** What an entry of a batch sends, if that is one write, which may be under way while others are. */
sealed interface EntryWrite permits StatementSender.Request, RowEntry {}
