/** UNIQUE while nodes and processes fail. */
package dev.cassidy.reliability.unique;
