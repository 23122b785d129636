// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {ReentrancyGuardTransient} from "@openzeppelin/contracts/utils/ReentrancyGuardTransient.sol";
import {Vm} from "forge-std/Vm.sol";
import {Authorization, BatchGroup, BatchItem, ItemCode} from "../src/PaymentTypes.sol";
import {Fixture} from "./Fixture.sol";
import {HostileToken} from "./mocks/HostileToken.sol";
import {MockUSDC} from "./mocks/MockUSDC.sol";

/// @dev Tokens that should never be listed, and what happens if one is, or turns bad later: nobody's money is lost.
contract HostileTokensTest is Fixture {
    HostileToken internal bad;

    function setUp() public override {
        super.setUp();
        bad = new HostileToken();
        _enable(address(bad), CAP, CAP);
        bad.mint(payer, FUNDS);
    }

    function _single(uint64 code, uint256 cap, uint256 settled) internal {
        Authorization memory a = _authorization(payer, cap);
        vm.prank(operator);
        processor.payWithSignatureUpto(address(bad), code, SPLIT, a, settled, 27, 0, 0);
    }

    function _batchOf(uint256 count) internal returns (BatchGroup[] memory groups) {
        groups = _one(BatchGroup(SPLIT, new BatchItem[](count)));
        for (uint256 i; i < count; ++i) {
            groups[0].items[i] = _item(PAYER_KEY, _authorization(payer, 10_000), uint64(100 + i), 10_000);
        }
    }

    function _settleBad(BatchGroup[] memory groups) internal returns (bytes memory) {
        vm.prank(operator);
        return processor.settleBatch(address(bad), groups);
    }

    function _parts() internal view returns (uint256) {
        return bad.balanceOf(merchant) + bad.balanceOf(partner) + bad.balanceOf(affiliate) + bad.balanceOf(feeTo);
    }

    function test_feeOnTransferChargesNobody() public {
        bad.mint(address(processor), 1e9);
        bad.setMode(HostileToken.Mode.FeeFromRecipient);
        BatchGroup[] memory groups = _batchOf(2);
        Authorization memory a = _authorization(payer, 10_000);
        vm.startPrank(operator);
        vm.expectRevert(abi.encodeWithSelector(WrongAmountArrived.selector, 10_000, 9_900));
        processor.payWithSignature(address(bad), 1, PLAIN, a, 27, 0, 0);
        vm.expectRevert(abi.encodeWithSelector(BalanceMismatch.selector, 1e9 + 10_000, 1e9 + 9_900));
        processor.settleBatch(address(bad), groups);
        vm.stopPrank();
        vm.startPrank(payer);
        bad.approve(address(processor), 10_000);
        vm.expectRevert(abi.encodeWithSelector(WrongAmountArrived.selector, 10_000, 9_900));
        processor.pay(address(bad), 1, PLAIN, 10_000);
        vm.stopPrank();
        assertEq(bad.balanceOf(payer), FUNDS);
    }

    function test_aFeeOnTheSenderCannotEatOtherPeoplesMoney() public {
        bad.mint(address(processor), 1e9);
        bad.setMode(HostileToken.Mode.FeeFromSender);
        BatchGroup[] memory groups = _batchOf(2);
        Authorization memory a = _authorization(payer, 10_000);
        vm.startPrank(operator);
        vm.expectPartialRevert(BalanceMismatch.selector);
        processor.payWithSignature(address(bad), 1, PLAIN, a, 27, 0, 0);
        vm.expectPartialRevert(BalanceMismatch.selector);
        processor.settleBatch(address(bad), groups);
        vm.stopPrank();
        assertEq(bad.balanceOf(address(processor)), 1e9);
    }

    function test_returnValuesMissingOrTooLongAreUnderstood() public {
        bad.setMode(HostileToken.Mode.NoReturnValue);
        _single(1, 10_000, 4_000);
        assertEq(_parts(), 4_000);
        bad.setMode(HostileToken.Mode.LongReturnValue);
        assertEq(_settleBad(_batchOf(2)), new bytes(2));
        assertEq(_parts(), 24_000);
        assertEq(bad.balanceOf(address(processor)), 0);
    }

    function test_aTransferThatSaysNoIsEscrowed() public {
        bad.setMode(HostileToken.Mode.FalseReturnValue);
        _single(1, 10_000, 4_000);
        assertEq(processor.totalOwed(address(bad)), 10_000);
        assertEq(processor.owed(address(bad), payer), 6_000);
        assertEq(bad.balanceOf(address(processor)), 10_000);
        bad.setMode(HostileToken.Mode.Honest);
        processor.withdraw(address(bad), payer);
        assertEq(bad.balanceOf(payer), FUNDS - 4_000);
    }

    function test_saysAndDeedsThatDifferUndoThePayment() public {
        HostileToken.Mode[4] memory modes = [
            HostileToken.Mode.PretendedTransfer,
            HostileToken.Mode.FalseButMoved,
            HostileToken.Mode.ShortReturnValue,
            HostileToken.Mode.OddReturnValue
        ];
        for (uint256 i; i < modes.length; ++i) {
            bad.setMode(modes[i]);
            BatchGroup[] memory groups = _batchOf(2);
            Authorization memory a = _authorization(payer, 10_000);
            vm.startPrank(operator);
            vm.expectPartialRevert(BalanceMismatch.selector);
            processor.payWithSignature(address(bad), 1, PLAIN, a, 27, 0, 0);
            vm.expectPartialRevert(BalanceMismatch.selector);
            processor.settleBatch(address(bad), groups);
            vm.stopPrank();
        }
        assertEq(bad.balanceOf(payer), FUNDS);
    }

    function test_aRevertBombOnTheWayOutIsEscrowed() public {
        bad.setMode(HostileToken.Mode.TransferRevertBomb);
        BatchGroup[] memory groups = _batchOf(3);
        vm.prank(operator);
        processor.settleBatch{gas: 2_000_000}(address(bad), groups);
        assertEq(processor.totalOwed(address(bad)), 30_000);
    }

    function test_aGasBurnOnTheWayOutIsEscrowed() public {
        bad.setMode(HostileToken.Mode.TransferGasBurn);
        BatchGroup[] memory groups = _batchOf(3);
        vm.prank(operator);
        processor.settleBatch{gas: 2_500_000}(address(bad), groups);
        assertEq(processor.totalOwed(address(bad)), 30_000);
    }

    function test_aRevertBombOnTheWayInIsOneFailedItemWithAShortReason() public {
        bad.setMode(HostileToken.Mode.PullRevertBomb);
        BatchGroup[] memory groups = _batchOf(3);
        vm.recordLogs();
        vm.prank(operator);
        bytes memory codes = processor.settleBatch{gas: 2_000_000}(address(bad), groups);
        assertEq(uint8(codes[2]), uint8(ItemCode.PullRefused));
        Vm.Log[] memory logs = vm.getRecordedLogs();
        assertEq(logs.length, 3);
        (, bytes memory reason) = abi.decode(logs[0].data, (ItemCode, bytes));
        assertEq(reason.length, 132);
    }

    function test_aGasBurnOnTheWayInIsOneFailedItem() public {
        bad.setMode(HostileToken.Mode.PullGasBurn);
        BatchGroup[] memory groups = _batchOf(3);
        vm.prank(operator);
        bytes memory codes = processor.settleBatch{gas: 2_000_000}(address(bad), groups);
        assertEq(uint8(codes[0]), uint8(ItemCode.PullRefused));
        assertEq(uint8(codes[2]), uint8(ItemCode.PullRefused));
    }

    function test_afterAGasBurnTheReasonIsAskedWithEnoughGasOrNotAtAll() public {
        bad.setMode(HostileToken.Mode.PullGasBurn);
        BatchGroup[] memory groups = _batchOf(1);
        vm.startPrank(operator);
        vm.expectPartialRevert(NotEnoughGas.selector);
        processor.settleBatch{gas: 265_000}(address(bad), groups);
        assertEq(uint8(processor.settleBatch{gas: 400_000}(address(bad), groups)[0]), uint8(ItemCode.PullRefused));
        vm.stopPrank();
    }

    function test_aTokenThatCannotEvenTellItsStateFailsItemsOnly() public {
        bad.setMode(HostileToken.Mode.StateRevertBomb);
        bytes memory codes = _settleBad(_batchOf(1));
        assertEq(uint8(codes[0]), uint8(ItemCode.PullRefused));
    }

    function test_aUsedNonceWithoutRevertIsNoPayment() public {
        bad.setMode(HostileToken.Mode.UsedNonceWithoutRevert);
        bad.mint(address(processor), 50_000);
        Authorization memory a = _authorization(payer, 10_000);
        BatchGroup[] memory groups = _one(BatchGroup(SPLIT, new BatchItem[](2)));
        groups[0].items[0] = _item(PAYER_KEY, a, 1, 10_000);
        groups[0].items[1] = _item(PAYER_KEY, a, 2, 10_000);
        bytes memory codes = _settleBad(groups);
        assertEq(uint8(codes[0]), uint8(ItemCode.Settled));
        assertEq(uint8(codes[1]), uint8(ItemCode.NothingArrived));
        vm.prank(operator);
        vm.expectRevert(abi.encodeWithSelector(WrongAmountArrived.selector, 10_000, 0));
        processor.payWithSignature(address(bad), 3, PLAIN, a, 27, 0, 0);
        assertEq(bad.balanceOf(address(processor)), 50_000);
    }

    function test_rebasingBetweenCallsNeverOpensEscrow() public {
        bad.setMode(HostileToken.Mode.FalseReturnValue);
        _single(1, 10_000, 10_000);
        bad.setMode(HostileToken.Mode.Honest);
        bad.rebase(address(processor), 9_000);
        assertEq(processor.surplus(address(bad)), 0);
        vm.prank(recovery);
        vm.expectRevert(abi.encodeWithSelector(SurplusTooSmall.selector, 0, 1));
        processor.returnSurplus(address(bad), payer, 1, "");
        _single(2, 10_000, 10_000);
        assertEq(bad.balanceOf(address(processor)), 9_000);
        bad.rebase(address(processor), 10_500);
        assertEq(processor.surplus(address(bad)), 500);
    }

    function test_rebasingWithinACallUndoesIt() public {
        bad.setMode(HostileToken.Mode.RebaseOnTransfer);
        BatchGroup[] memory groups = _batchOf(1);
        vm.prank(operator);
        vm.expectPartialRevert(BalanceMismatch.selector);
        processor.settleBatch(address(bad), groups);
    }

    function test_everyWayBackInIsShutDuringAPull() public {
        Authorization memory a = _authorization(payer, 10_000);
        bytes32 role = processor.OPERATOR_ROLE();
        bytes32 recoveryRole = processor.RECOVERY_ROLE();
        vm.startPrank(admin);
        processor.grantRole(role, address(bad));
        processor.grantRole(recoveryRole, address(bad));
        vm.stopPrank();
        bytes[6] memory calls = [
            abi.encodeCall(processor.pay, (address(bad), 1, PLAIN, 1)),
            abi.encodeCall(processor.withdraw, (address(bad), merchant)),
            abi.encodeCall(processor.settleBatch, (address(bad), new BatchGroup[](0))),
            abi.encodeCall(processor.returnSurplus, (address(bad), stranger, 1, "")),
            abi.encodeCall(processor.returnStranded, (address(bad), a, "")),
            abi.encodeCall(processor.settleStranded, (address(bad), 2, PLAIN, a, 1, ""))
        ];
        for (uint256 i; i < calls.length; ++i) {
            bad.reenter(address(processor), calls[i]);
            _settleBad(_one(PLAIN, _item(PAYER_KEY, _authorization(payer, 10_000), uint64(50 + i), 10_000)));
            assertEq(
                bytes4(bad.targetAnswer()),
                ReentrancyGuardTransient.ReentrancyGuardReentrantCall.selector,
                vm.toString(i)
            );
        }
    }

    function test_pausedAndBlacklistedPayersFailAlone() public {
        BatchGroup[] memory groups = _one(_group(PLAIN, 2, 100, 500, 500));
        token.setBlacklisted(vm.addr(_key(100)), true);
        bytes memory codes = _settle(groups);
        assertEq(uint8(codes[0]), uint8(ItemCode.PullRefused));
        assertEq(uint8(codes[1]), uint8(ItemCode.Settled));
    }

    function test_twoAndTwentyFourDecimalsWork() public {
        uint8[2] memory decimals = [2, 24];
        for (uint256 i; i < 2; ++i) {
            token = new MockUSDC(decimals[i]);
            _enable(address(token), type(uint104).max, type(uint104).max);
            uint256 million = 1e6 * 10 ** decimals[i];
            BatchGroup[] memory groups = _one(_group(SPLIT, 2, uint64(1_000 * (i + 1)), million, million / 3));
            assertEq(_settle(groups), new bytes(2));
            assertEq(token.balanceOf(feeTo), 2 * (million / 3 * 250 / 10_000));
            assertEq(_processorBalance(), 0);
        }
    }
}
