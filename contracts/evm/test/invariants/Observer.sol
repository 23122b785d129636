// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {Vm} from "forge-std/Vm.sol";
import {Fixture} from "../Fixture.sol";

/// @dev Reads the logs of every call the world makes and keeps its own books from them.
abstract contract Observer is Fixture {
    uint256 public settledSum;
    uint256 public receivedSum;
    uint256 public mostSettlementsOfAnIntent;
    uint256 public mostPaymentsOfAnAuthorization;
    uint256 public transfersToStrangers;
    mapping(uint64 code => uint256) private _settlements;
    mapping(bytes32 authorization => uint256) private _payments;
    mapping(address account => bool) internal _registered;
    /// @dev Who signed something in the call that is being observed: refunds may go to them.
    mapping(uint256 call => mapping(address account => bool)) private _signers;
    uint256 private _call;

    function _startCall() internal {
        ++_call;
        vm.recordLogs();
    }

    function _addSigner(address account) internal {
        _signers[_call][account] = true;
    }

    function _endCall() internal {
        Vm.Log[] memory logs = vm.getRecordedLogs();
        bytes32 authorization;
        for (uint256 i; i < logs.length; ++i) {
            bytes32 topic = logs[i].topics[0];
            if (topic == keccak256("AuthorizationUsed(address,bytes32)")) {
                authorization = keccak256(abi.encode(logs[i].topics[1], logs[i].topics[2]));
            } else if (topic == StrandedSettled.selector) {
                authorization = keccak256(abi.encode(logs[i].topics[2], abi.decode(logs[i].data, (bytes32))));
            } else if (topic == PaymentSettled.selector) {
                _onSettled(logs[i], authorization);
                authorization = 0;
            } else if (topic == PaymentReceived.selector) {
                (, uint256 amount,) = abi.decode(logs[i].data, (uint64, uint256, uint256));
                receivedSum += amount;
            } else if (topic == keccak256("Transfer(address,address,uint256)")) {
                _onTransfer(logs[i]);
            }
        }
    }

    function _onSettled(Vm.Log memory log, bytes32 authorization) private {
        (,, uint256 settled,) = abi.decode(log.data, (uint64, uint256, uint256, uint256));
        settledSum += settled;
        uint256 times = ++_settlements[uint64(uint256(log.topics[1]))];
        if (times > mostSettlementsOfAnIntent) mostSettlementsOfAnIntent = times;
        if (authorization == 0) return;
        times = ++_payments[authorization];
        if (times > mostPaymentsOfAnAuthorization) mostPaymentsOfAnAuthorization = times;
    }

    function _onTransfer(Vm.Log memory log) private {
        if (log.topics[1] != bytes32(uint256(uint160(address(processor))))) return;
        address to = address(uint160(uint256(log.topics[2])));
        if (!_registered[to] && !_signers[_call][to]) ++transfersToStrangers;
    }
}
