#pragma once

#include "agent/options.h"
#include "agent/platform.h"

// One function a command; each returns the exit status of the contract.
namespace tmc::commands {

int Run(const Options& options, const Platform& platform);
int Reconcile(const Options& options, const Platform& platform);
int Permit(const Options& options, const Platform& platform);

int Status(const Options& options);
int Trace(const Options& options);
int OrdersShow(const Options& options);
int OrdersList(const Options& options);
int DlqList(const Options& options);
int DlqShow(const Options& options);
int DlqReplay(const Options& options);
int DlqDiscard(const Options& options);
int ShowVersion(const Options& options);

}  // namespace tmc::commands
